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
  readAt: number;
  /** The position of the body in the ring. */
  start: number;
  length: number;
}

const MAX_BYTES = 40 * 1_048_576;
/** Larger bodies are not stored. A page of 50 products with variations and images takes about 100 kB. */
const MAX_BODY_BYTES = 262_144;
/** Limits the memory for keys and entries, which take about 400 bytes each, in addition to the bodies. */
const MAX_ENTRIES = 20_000;
/** Limits the age of a stored response, because rows that an operator changes with SQL may not get a new version. */
const MAX_AGE_MS = 60_000;

/**
 * The API responses that this process has sent recently: lists and single records. Before a stored response is sent
 * again, the request must have found the same version in the database, so changes by other processes are noticed.
 *
 * The bodies are in a ring, which always takes the same memory. Bodies with a buffer of their own occupied almost twice
 * their size, because removed ones left gaps in the memory of the process. A body that is sent again while it is in the
 * older half of the ring is written again, so those that are requested repeatedly stay.
 */
export class ResponseMemory {
  /** In the order in which the bodies were written. */
  private readonly entries = new Map<string, Entry>();
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
    else this.write(key, { ...response, readAt: performance.now() }, bytes);
  }

  private write(key: string, { version, etag, readAt }: Omit<Entry, 'start' | 'length'>, body: Buffer): void {
    this.entries.delete(key);
    const start = this.ring.write(body);
    if (start === undefined) return;
    this.entries.set(key, { version, etag, readAt, start, length: body.length });
    for (const [oldest, entry] of this.entries) {
      if (!this.ring.isOverwritten(entry.start) && this.entries.size <= MAX_ENTRIES) break;
      this.entries.delete(oldest);
    }
  }
}
