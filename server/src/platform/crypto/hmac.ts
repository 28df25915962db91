import { createHmac, timingSafeEqual } from 'node:crypto';

export function hmac(key: Buffer | string, message: string): Buffer {
  return createHmac('sha256', key).update(message).digest();
}

/** Takes the same time wherever the two differ. */
export function isSameDigest(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given);
}
