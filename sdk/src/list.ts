import { sendJson, type WithResponse } from './call.js';
import type { CallSite } from './errors.js';
import type { CallOptions } from './options.js';
import type { Query } from './query.js';
import type { Transport } from './transport.js';
import type { Meta } from './types.js';

export interface Page<T> {
  data: T[];
  meta: Meta;
}

/**
 * A list that has not been requested yet. Await it to read the page that its query describes. Iterate over it to read
 * the records from that page to the last, or over `pages()` to read page by page.
 */
export class List<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  constructor(
    private readonly transport: Transport,
    private readonly path: string,
    private readonly query: Query,
    private readonly options: CallOptions,
    private readonly site: CallSite,
  ) {}

  // biome-ignore lint/suspicious/noThenProperty: awaiting a list reads one page
  then<A = Page<T>, B = never>(
    onFulfilled?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.withResponse()
      .then(({ data }) => data)
      .then(onFulfilled, onRejected);
  }

  /** Requests the page that the query describes, and returns it together with the response. */
  withResponse(): Promise<WithResponse<Page<T>>> {
    return this.read(this.query);
  }

  /**
   * Returns the pages from the one that the query describes to the last. Those after the first are read by cursor,
   * because the API limits page numbers.
   */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let query = this.query;
    for (;;) {
      const { data: page } = await this.read(query);
      yield page;
      if (!page.meta.hasMore || page.meta.nextCursor === null) return;
      query = { cursor: page.meta.nextCursor, limit: query.limit };
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  private read(query: Query): Promise<WithResponse<Page<T>>> {
    return sendJson(this.transport, { method: 'GET', path: this.path, query }, this.options, this.site);
  }
}
