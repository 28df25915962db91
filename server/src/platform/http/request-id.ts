import { randomFillSync } from 'node:crypto';

const BYTES_PER_ID = 16;
const random = Buffer.alloc(256 * BYTES_PER_ID);
let used = random.length;

const HEX = Buffer.from('0123456789abcdef');
const text = Buffer.from('00000000-0000-0000-0000-000000000000');
/** Where the two digits of each byte are written. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/**
 * Returns a random UUID (version 4). crypto.randomUUID() returns a string that V8 has not yet joined from its parts.
 * Node checks header values with a regular expression, which is slow for such strings: together with an ETag of the
 * same kind, they took 1 to 2% of the time of a product read.
 */
export function newRequestId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  random[used + 6] = (random[used + 6]! & 0x0f) | 0x40;
  random[used + 8] = (random[used + 8]! & 0x3f) | 0x80;
  for (let i = 0; i < BYTES_PER_ID; i++) {
    const byte = random[used + i]!;
    const place = PLACES[i]!;
    text[place] = HEX[byte >> 4]!;
    text[place + 1] = HEX[byte & 15]!;
  }
  used += BYTES_PER_ID;
  return text.toString('latin1');
}
