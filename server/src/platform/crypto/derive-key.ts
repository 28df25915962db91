import { hkdfSync } from 'node:crypto';

/**
 * Derives a separate key for each purpose, so that a signature or sealed value for one purpose is invalid for all
 * others.
 */
export function deriveKey(secret: string, purpose: string, bytes = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `feira ${purpose}`, bytes));
}
