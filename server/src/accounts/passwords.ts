import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { HashingTurns } from './hashing-turns.js';

// 32 MiB and about 60 ms per hash. Each hash contains its parameters, so they can be raised without invalidating old
// hashes.
const COST = { N: 2 ** 15, r: 8, p: 1 };
const LENGTH = 32;

/** Two of the four threads stay free for files. A queue of 24 takes about a second. */
const turns = new HashingTurns(2, 24, 8);

/**
 * The hash for an account that does not exist. No password matches it, and checking one takes as long as for a real
 * account.
 */
export const NO_PASSWORD = encoded(Buffer.alloc(16), Buffer.alloc(LENGTH));

/** Throws HashingBusy when the queue is full. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return encoded(salt, await turns.run(() => derive(password, salt, COST)));
}

/** Throws HashingBusy when the queue is full. With `isFirst`, the check has priority. */
export async function isPassword(password: string, stored: string, isFirst = false): Promise<boolean> {
  const [, N, r, p, salt, key] = stored.split('$') as [string, string, string, string, string, string];
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await turns.run(() => derive(password, Buffer.from(salt, 'base64url'), cost), isFirst);
  return timingSafeEqual(derived, Buffer.from(key, 'base64url'));
}

function encoded(salt: Buffer, key: Buffer): string {
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** NFKC makes a password independent of the keyboard. */
function derive(
  password: string,
  salt: Buffer,
  cost: ScryptOptions & { N: number; r: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(
      password.normalize('NFKC'),
      salt,
      LENGTH,
      { ...cost, maxmem: 256 * cost.N * cost.r },
      (error, key) => (error ? reject(error) : resolve(key)),
    );
  });
}
