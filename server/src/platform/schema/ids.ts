import { randomFillSync } from 'node:crypto';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns whether the value has the format of an id. In SQL, comparing an id with a text that is not a UUID fails. */
export function isId(value: string): boolean {
  return ID.test(value);
}

/** An id that sorts before all others. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Creates a UUIDv7, so that new rows are added at the end of their store's part of an index on (workspace_id, id). */
export function newId(now = Date.now()): string {
  if (next === pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  const time = now.toString(16).padStart(12, '0');
  const random = pool.toString('hex', next, next + BYTES_PER_ID);
  next += BYTES_PER_ID;
  const variant = '89ab'[Number.parseInt(random.charAt(3), 16) & 3];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}

// Random bytes are generated for many ids together. A system call for each id would take longer than the rest of
// newId().
const BYTES_PER_ID = 10;
const pool = Buffer.alloc(BYTES_PER_ID * 128);
let next = pool.length;
