import { hkdfSync } from 'node:crypto';

/** One key per purpose: what is signed or sealed for one purpose is worth nothing for another. */
export function deriveKey(secret: string, purpose: string, bytes = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `feira ${purpose}`, bytes));
}
