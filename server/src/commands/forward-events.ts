import { setTimeout as wait } from 'node:timers/promises';
import { cursorAfter, type FeedEvent, readFeed } from '../events/feed.js';
import type { Clock } from '../platform/clock.js';
import type { StoreAccess } from '../platform/db/share.js';
import { ApiError } from '../platform/http/errors.js';
import type { Outbound } from '../platform/outbound/post.js';
import { type AttemptResult, postSigned } from '../webhooks/attempt.js';
import { UsageError } from './command.js';
import type { Position, SavedPosition } from './saved-position.js';

const IDLE_MS = 500;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 15_000;
const PAGE = 100;

export interface Forwarder {
  db: StoreAccess;
  clock: Clock;
  outbound: Outbound;
  workspaceId: string;
  forwardTo: string;
  secret: string;
  saved: SavedPosition;
  onAttempt(
    event: FeedEvent,
    result: AttemptResult & { attempt: number; retryInMs: number | undefined },
  ): void;
  onDatabaseError(error: Error): void;
}

/**
 * Posts events one after the other in the order of the feed, until `stop` is aborted. An event is sent again until it
 * is answered with 2xx, and the position is saved before the next event is sent. If the process is killed, only the
 * event that was in flight can arrive twice.
 */
export async function forwardEvents(forwarder: Forwarder, start: Position, stop: AbortSignal): Promise<void> {
  let position = start;
  forwarder.saved.save(position);
  while (!stop.aborted) {
    const page = await readPage(forwarder, position.cursor);
    for (const event of page?.data ?? []) {
      if (!(await deliver(forwarder, event, stop))) break;
      position = { cursor: cursorAfter(page!.meta.nextCursor, event.sequence), sequence: event.sequence };
      forwarder.saved.save(position);
    }
    if (!page?.meta.hasMore) await pause(IDLE_MS, stop);
  }
  forwarder.saved.save(position, true);
}

/** Returns undefined if the feed cannot be read now, so that the caller tries again later. */
async function readPage({ db, workspaceId, saved, onDatabaseError }: Forwarder, after: string) {
  try {
    return await readFeed(db, workspaceId, { after, limit: PAGE });
  } catch (error) {
    if (error instanceof ApiError && error.status === 410)
      throw new UsageError(
        `The saved position is no longer in the feed: its event is older than 30 days, or the database was restored. Delete ${saved.file} and start again; --replay 1h repeats the last hour.`,
        { code: error.code },
      );
    onDatabaseError(error as Error);
    return undefined;
  }
}

/** Returns false if `stop` was aborted before the event was acknowledged. */
async function deliver(forwarder: Forwarder, event: FeedEvent, stop: AbortSignal): Promise<boolean> {
  const { outbound, clock, forwardTo, secret, onAttempt } = forwarder;
  for (let attempt = 1; !stop.aborted; attempt++) {
    const sending = { secrets: { current: secret }, number: attempt, now: clock.now() };
    const result = await postSigned(outbound, forwardTo, event, sending);
    const retryInMs = result.delivered
      ? undefined
      : Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempt - 1));
    onAttempt(event, { ...result, attempt, retryInMs });
    if (retryInMs === undefined) return true;
    await pause(retryInMs, stop);
  }
  return false;
}

async function pause(milliseconds: number, stop: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal: stop }).catch(() => {});
}
