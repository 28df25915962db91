import type { FastifyReply } from 'fastify';
import { Batcher } from '../platform/concurrency/batcher.js';
import type { Queryable } from '../platform/db/share.js';
import type { ResponseMemory } from '../platform/http/response-memory.js';
import { readVersions } from './store-version.js';

const MAX_URL_LENGTH = 1_000;

/**
 * Answers lists from memory for clients that request the same list repeatedly while nothing in the store changes.
 *
 * storeVersion() counts the committed changes to a store, whichever process made them. The version is read before the
 * records of the response. If a change is committed in between, the response is stored under the old version. Later
 * requests read a newer version, so this response is never used.
 */
export class AnswerMemory {
  private readonly versions = new Batcher(2, 32, (stores: string[]) => readVersions(this.db, stores));

  constructor(
    private readonly db: Queryable,
    private readonly memory: ResponseMemory,
  ) {}

  /** Returns the body of this reply to a GET. It must depend only on the URL and the records of the store. */
  async answer(
    workspaceId: string,
    { request: { url }, raw }: FastifyReply,
    read: () => Promise<Buffer>,
  ): Promise<Buffer> {
    if (url.length > MAX_URL_LENGTH) return read();
    const version = await this.versions.submit(workspaceId);
    if (version === undefined) return read();
    const key = `${workspaceId} ${url}`;
    const known = this.memory.find(key);
    const stored = known?.version === version ? this.memory.bodyOf(key, known, raw) : undefined;
    if (stored) return stored;
    const body = await read();
    this.memory.store(key, { version, etag: undefined }, body);
    return body;
  }
}
