import { hkdfSync } from 'node:crypto';

/** Derives a key per purpose, so a signature or sealed value for one purpose is not valid for another. */
export function deriveKey(secret: string, purpose: string, bytes = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `feira ${purpose}`, bytes));
}
