import type { StoreAccess } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { badRequest } from '../platform/http/errors.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../platform/lists/paging.js';
import {
  cursorExpired,
  formatPosition,
  type HistoryPosition,
  parsePosition,
  rejectLostPosition,
} from './epochs.js';
import { settledHead } from './sequencer.js';

export interface FeedEvent {
  id: string;
  sequence: number;
  event: string;
  workspaceId: string;
  data: Record<string, unknown>;
  origin: string;
  createdAt: string;
}

/** Numbers all events committed before the call, then reads a page of events in the order of their numbers. */
export async function readFeed(
  db: StoreAccess,
  workspaceId: string,
  query: { after?: string; limit?: number },
) {
  const limit = Math.min(query.limit ?? DEFAULT_LIMIT, MAX_LIMIT);
  const after = query.after === undefined ? undefined : readCursor(query.after);
  const head = await settledHead(db, workspaceId);
  if (after) await rejectLostPosition(db, workspaceId, 'last_sequence', after, head);
  const rows = await db.query<FeedEvent>(sql`
    select id, sequence, event, workspace_id as "workspaceId", data, origin, created_at as "createdAt"
    from events where workspace_id = ${workspaceId} and sequence > ${after?.number ?? 0}
    order by sequence limit ${limit + 1}`);
  // Sequence numbers have no gaps, so if the event after the cursor is missing, it has been deleted because it was
  // older than the retention period.
  const next = rows[0]?.sequence ?? head.last_sequence + 1;
  if (after && next > after.number + 1) throw cursorExpired();
  const data = rows.slice(0, limit);
  const reached = data.at(-1)?.sequence ?? after?.number ?? head.last_sequence;
  const nextCursor = writeCursor({ epoch: head.epoch, number: reached });
  return { data, meta: { limit, hasMore: rows.length > limit, nextCursor } };
}

/** Returns the cursor after one event of a page, derived from the `nextCursor` of that page. */
export function cursorAfter(nextCursor: string, sequence: number): string {
  return writeCursor({ ...readCursor(nextCursor), number: sequence });
}

/** Returns the cursor after all committed events or, with `since`, before the first event since that time. */
export async function cursorAt(
  db: StoreAccess,
  workspaceId: string,
  since?: Date,
): Promise<{ cursor: string; sequence: number }> {
  const head = await settledHead(db, workspaceId);
  const [first] =
    since === undefined
      ? []
      : await db.query<{ sequence: number }>(sql`
          select sequence from events where workspace_id = ${workspaceId} and created_at >= ${since.toISOString()}
          order by sequence limit 1`);
  const sequence = first ? first.sequence - 1 : head.last_sequence;
  return { cursor: writeCursor({ epoch: head.epoch, number: sequence }), sequence };
}

/** Cursors of the first release contain transaction ids, which cannot be converted to sequence numbers. */
const FIRST_RELEASE = /^\d{1,19}\.\d{1,18}$/;

export function writeCursor(position: HistoryPosition): string {
  return Buffer.from(formatPosition(position)).toString('base64url');
}

function readCursor(cursor: string): HistoryPosition {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const isWhole = Buffer.from(text, 'latin1').toString('base64url') === cursor;
  const position = parsePosition(text);
  if (isWhole && position) return position;
  if (isWhole && FIRST_RELEASE.test(text)) throw cursorExpired();
  throw badRequest('after must be a cursor of this feed', 'invalid_parameter');
}
