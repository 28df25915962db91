import type { ServerResponse } from 'node:http';
import { Ring } from './ring.js';

/** Describes a stored response. */
export interface StoredResponse {
  /** Differs from the version of every other state of what the body contains. */
  readonly version: string;
  /** Undefined if the ETag is computed from the body. */
  readonly etag: string | undefined;
}

interface Entry extends StoredResponse {
  key: string;
  readAt: number;
  /** The position of the body in the ring. */
  start: number;
  length: number;
}

const MAX_BYTES = 40 * 1_048_576;
/** Larger bodies are not stored. A page of 50 products with variations and images takes about 100 kB. */
const MAX_BODY_BYTES = 262_144;
/** Limits the memory for keys and entries, also replaced ones, which take about 400 bytes each in addition to the bodies. */
const MAX_ENTRIES = 20_000;
/** Limits the age of a stored response, because rows that an operator changes with SQL may not get a new version. */
const MAX_AGE_MS = 60_000;

/**
 * The API responses that this process has sent recently: lists and single records. Before a stored response is sent
 * again, the request must have found the same version in the database, so changes by other processes are noticed.
 *
 * The bodies are in a ring, which always takes the same memory. Bodies with a buffer of their own occupied almost twice
 * their size, because removed ones left gaps in the memory of the process. A body that is sent again while it is in the
 * oldest quarter of the ring is written again, so those that are requested repeatedly stay.
 */
export class ResponseMemory {
  private readonly entries = new Map<string, Entry>();
  /**
   * The entries in the order in which their bodies were written, beginning with `oldest`. The map has the same order, but
   * finding its first entry takes as long as it has removed entries before it: storing a body took 48 µs.
   */
  private order: Entry[] = [];
  private oldest = 0;
  private readonly ring: Ring;

  constructor(size = MAX_BYTES) {
    this.ring = new Ring(size);
  }

  find(key: string): StoredResponse | undefined {
    const entry = this.entries.get(key);
    return entry && performance.now() - entry.readAt <= MAX_AGE_MS ? entry : undefined;
  }

  /**
   * Returns the body, which must be sent with this HTTP response. Returns undefined if the body was removed since it was
   * found.
   */
  bodyOf(key: string, { version }: StoredResponse, response: ServerResponse): Buffer | undefined {
    const entry = this.entries.get(key);
    if (entry?.version !== version) return undefined;
    const body = this.ring.read(entry.start, entry.length, response);
    if (this.ring.isOld(entry.start)) this.write(key, entry, body);
    return body;
  }

  store(key: string, response: StoredResponse, body: string | Buffer): void {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body);
    if (bytes.length > MAX_BODY_BYTES) this.entries.delete(key);
    else
      this.write(key, { version: response.version, etag: response.etag, readAt: performance.now() }, bytes);
  }

  private write(
    key: string,
    { version, etag, readAt }: Pick<Entry, 'version' | 'etag' | 'readAt'>,
    body: Buffer,
  ): void {
    this.entries.delete(key);
    const start = this.ring.write(body);
    if (start === undefined) return;
    const entry = { key, version, etag, readAt, start, length: body.length };
    this.entries.set(key, entry);
    this.order.push(entry);
    this.removeOldest();
  }

  private removeOldest(): void {
    for (; this.oldest < this.order.length; this.oldest++) {
      const entry = this.order[this.oldest] as Entry;
      const hasRoom = this.order.length - this.oldest <= MAX_ENTRIES;
      if (hasRoom && !this.ring.isOverwritten(entry.start)) break;
      if (this.entries.get(entry.key) === entry) this.entries.delete(entry.key);
    }
    if (this.oldest <= this.order.length / 2) return;
    this.order = this.order.slice(this.oldest);
    this.oldest = 0;
  }
}
