import type { Api } from './api.js';
import { sendJson } from './call.js';
import { type CallSite, FeiraError } from './errors.js';
import type { Page } from './list.js';
import type { CallOptions } from './options.js';
import type { Query } from './query.js';

const PAGE = 100;
const EVERY_MS = 5_000;

export interface FollowOptions extends CallOptions {
  /**
   * With true, the loop waits for new entries at the end of the feed until `signal` is aborted. Default: stop at the
   * end.
   */
  follow?: boolean | undefined;
  /** The polling interval at the end of the feed. Default 5 seconds. */
  everyMs?: number | undefined;
}

export interface FeedPage<T> {
  data: T[];
  /** The position after this page. Save it when the page has been processed. */
  cursor: string;
}

/**
 * A list to which changes are appended. A new entry never appears before a cursor that was returned, so a program that
 * saves `cursor` and continues from it after a restart misses nothing. Iterate over the feed to read entry by entry, or
 * over `pages()` to read page by page.
 */
export class Feed<T> implements AsyncIterable<T> {
  /** The position up to which entries have been processed. It advances when the loop requests the next page. */
  cursor: string | undefined;

  constructor(
    private readonly api: Api,
    private readonly path: string,
    start: string | undefined,
    private readonly queryAt: (cursor: string | undefined) => Query,
    private readonly options: FollowOptions = {},
    private readonly site: CallSite,
  ) {
    this.cursor = start;
  }

  /** Returns pages of up to 100 entries. Each page has the cursor to save. Empty pages are skipped. */
  async *pages(): AsyncGenerator<FeedPage<T>, void, undefined> {
    const { follow = false, everyMs = EVERY_MS, signal } = this.options;
    try {
      for (;;) {
        const { data, meta } = await this.read();
        const cursor = meta.nextCursor as string;
        if (data.length > 0) yield { data, cursor };
        this.cursor = cursor;
        if (meta.hasMore) continue;
        if (!follow) return;
        await this.api.transport.clock.sleep(everyMs, signal);
      }
    } catch (error) {
      // Aborting is the normal way to leave a loop that follows the feed, so it is not an error there.
      if (!(follow && signal?.aborted)) throw error;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  private async read(): Promise<Page<T>> {
    const query = { ...this.queryAt(this.cursor), limit: PAGE };
    const { data: page } = await sendJson<Page<T>>(
      this.api.transport,
      { method: 'GET', path: this.path, query },
      this.options,
      this.site,
      withCursor,
    );
    return page;
  }
}

function withCursor<T>(page: Page<T> | null, attempts: number): Page<T> {
  if (typeof page?.meta?.nextCursor === 'string') return page;
  throw new FeiraError('The response has no nextCursor', { status: 200, code: 'invalid_response', attempts });
}
