import type { Api } from './api.js';
import { type CallSite, callSite, FeiraError, placeAt } from './errors.js';
import { Feed, type FollowOptions } from './feed.js';
import { readLines } from './lines.js';
import type { CallOptions } from './options.js';
import { backoffMs } from './retry.js';
import type { Event } from './types.js';

const MAX_RESTARTS = 5;

export interface SnapshotOptions extends CallOptions {
  /**
   * An interrupted stream cannot be continued, only started again. If this function is given, the stream is started
   * again up to five times. The function is called before each new start and must remove the records stored so far,
   * because all records are sent again. Without the function, an interrupted stream throws `snapshot_incomplete`.
   */
  onRestart?: (() => void | Promise<void>) | undefined;
}

/**
 * All records of one kind, as of one point in time. Iterate over the snapshot once. After that, `events()` returns the
 * events since that time.
 */
export class Snapshot<T> implements AsyncIterable<T> {
  /** The time of the snapshot (RFC 3339). It is set before the first record is returned. */
  at: string | undefined;
  private position: string | undefined;
  private isComplete = false;
  private readonly site: CallSite;

  constructor(
    private readonly api: Api,
    private readonly path: string,
    private readonly options: SnapshotOptions = {},
  ) {
    this.site = callSite(Snapshot);
  }

  /**
   * The position of the snapshot in the event feed. Save it together with the records. Throws until all records have
   * been read.
   */
  get cursor(): string {
    if (this.position !== undefined && this.isComplete) return this.position;
    throw new FeiraError('Read all records of the snapshot before you use its cursor or events()', {
      code: 'snapshot_incomplete',
    });
  }

  /** Returns all events since the snapshot was taken. Throws until all records have been read. */
  events(options?: FollowOptions): Feed<Event> {
    const queryAt = (after: string | undefined) => ({ after });
    return new Feed(this.api, '/events', this.cursor, queryAt, options, callSite(this.events));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let broken = 0; ; ) {
      try {
        yield* this.read();
        return;
      } catch (error) {
        if (!this.options.onRestart || !canRestart(error, broken) || ++broken > MAX_RESTARTS) throw error;
        await this.api.transport.clock.sleep(backoffMs(broken), this.options.signal);
        await this.options.onRestart();
      }
    }
  }

  private async *read(): AsyncGenerator<T, void, undefined> {
    const { transport } = this.api;
    const spec = { method: 'GET', path: this.path, accept: 'application/x-ndjson' } as const;
    const { body, attempts } = await transport.send(
      spec,
      this.options,
      this.site,
      async (response, sent) => ({ body: response.body, attempts: sent }),
    );
    let count = 0;
    try {
      for await (const line of readLines(body, this.options.timeoutMs ?? transport.timeoutMs)) {
        const record = JSON.parse(line);
        if (count === 0 && record.snapshot) {
          this.at = record.snapshot.at;
          this.position = record.snapshot.cursor;
        } else if (record.end) {
          this.isComplete = record.end.count === count;
        } else {
          count++;
          yield record;
        }
      }
    } catch (cause) {
      const isAborted = this.options.signal?.aborted;
      throw placeAt(isAborted ? aborted(attempts, cause) : incomplete(count, attempts, cause), this.site);
    }
    if (!this.isComplete) throw placeAt(incomplete(count, attempts), this.site);
  }
}

function incomplete(count: number, attempts: number, cause?: unknown): FeiraError {
  return new FeiraError(`The snapshot was interrupted after ${count} records. Start it again`, {
    code: 'snapshot_incomplete',
    attempts,
    cause,
  });
}

function aborted(attempts: number, cause: unknown): FeiraError {
  return new FeiraError('The snapshot was aborted', { code: 'aborted', attempts, cause });
}

/**
 * Returns whether to start again. Until the server notices that the reader of the interrupted stream is gone, it
 * rejects a new stream with `snapshot_running`. After an interruption, this error is therefore retried too.
 */
function canRestart(error: unknown, broken: number): boolean {
  if (!(error instanceof FeiraError)) return false;
  return error.code === 'snapshot_incomplete' || (error.code === 'snapshot_running' && broken > 0);
}
