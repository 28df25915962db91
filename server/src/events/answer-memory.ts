import { Batcher } from '../platform/concurrency/batcher.js';
import type { Queryable } from '../platform/db/share.js';
import { readVersions } from './store-version.js';

interface Answer {
  /** The version of the store, read before the records of the response. */
  version: string;
  readAt: number;
  /** Undefined if the response was requested only once at this version, or is too large to be cached. */
  body: Buffer | undefined;
}

/** Larger responses are not cached. A page of 50 products with variations and images takes about 100 kB. */
const MAX_BODY_BYTES = 262_144;
/** The first pages of 1,000 small stores, about 34 kB each, fit into this size. */
const MAX_BYTES = 34 * 1_048_576;
const MAX_ANSWERS = 5_000;
const MAX_URL_LENGTH = 1_000;
/** Limits the age of a cached response, because the version does not count changes that an operator makes with SQL. */
const MAX_AGE_MS = 60_000;

/**
 * Caches list responses for clients that request the same list repeatedly while nothing in the store changes.
 *
 * storeVersion() counts the committed changes to a store, whichever process made them. The version is read before the
 * records of the response. If a change is committed in between, the response is stored under the old version. Later
 * requests read a newer version, so this response is never used.
 *
 * A response is stored only when it is requested for the second time at the same version. A client that reads all pages
 * once, or a store that changes all the time, therefore takes almost no space in the cache.
 */
export class AnswerMemory {
  private readonly answers = new Map<string, Answer>();
  private bytes = 0;
  private readonly versions = new Batcher(2, 32, (stores: string[]) => readVersions(this.db, stores));

  constructor(private readonly db: Queryable) {}

  /** Returns the response to a GET of this URL. It must depend only on the URL and the records of the store. */
  async answer(workspaceId: string, url: string, read: () => Promise<Buffer>): Promise<Buffer> {
    if (url.length > MAX_URL_LENGTH) return read();
    const version = await this.versions.submit(workspaceId);
    if (version === undefined) return read();
    const key = `${workspaceId} ${url}`;
    const known = this.answers.get(key);
    const isCurrent = known?.version === version;
    const readAt = performance.now();
    if (isCurrent && known.body && readAt - known.readAt < MAX_AGE_MS) {
      this.remember(key, known);
      return known.body;
    }
    const body = await read();
    const isStored = isCurrent && body.length <= MAX_BODY_BYTES;
    this.remember(key, { version, readAt, body: isStored ? body : undefined });
    return body;
  }

  /** Stores the response as the most recently used one. Evicts the least recently used ones if a limit is exceeded. */
  private remember(key: string, answer: Answer): void {
    this.forget(key);
    this.answers.set(key, answer);
    this.bytes += answer.body?.length ?? 0;
    for (const oldest of this.answers.keys()) {
      if (this.bytes <= MAX_BYTES && this.answers.size <= MAX_ANSWERS) break;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.bytes -= this.answers.get(key)?.body?.length ?? 0;
    this.answers.delete(key);
  }
}
