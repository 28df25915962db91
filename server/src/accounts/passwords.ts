import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { Admission } from '../platform/concurrency/admission.js';
import { isSameDigest } from '../platform/crypto/hmac.js';

// Computing a hash takes 32 MiB of memory and about 60 ms. A stored hash contains its cost parameters, so the ones
// below can be raised without invalidating old hashes.
const COST = { N: 2 ** 15, r: 8, p: 1 };
const LENGTH = 32;

/**
 * Node hashes on the four threads that it also uses for files. When sign-ins used all four, a static file took two
 * seconds. With this limit, two threads stay free for files.
 */
const CONCURRENCY = 2;
const hashing = new Admission({ groups: { '': CONCURRENCY } });
/** Hashing the passwords of a full queue of 24 takes about a second. */
const ANYONE = { applicant: { key: 'anyone', limit: CONCURRENCY }, maxWaiting: 24 };
/**
 * Browsers known to the account have priority and a queue of their own, so that a flood of guesses cannot lock out the
 * owner.
 */
const KNOWN_BROWSER = {
  applicant: { key: 'known browser', limit: CONCURRENCY, isUrgent: true },
  maxWaiting: 8,
};

/**
 * A hash that no password matches, for e-mails without an account. Checking it takes as long as checking a real one, so
 * the response time does not reveal whether an account exists.
 */
export const NO_PASSWORD = encoded(Buffer.alloc(16), Buffer.alloc(LENGTH));

/** Hashes a password. Throws NotAdmitted if the queue is full. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return encoded(salt, await inTurn(ANYONE, () => derive(password, salt, COST)));
}

/** Compares a password with a hash. Throws NotAdmitted if the queue is full. */
export async function isPassword(
  password: string,
  stored: string,
  { isKnownBrowser = false } = {},
): Promise<boolean> {
  const [, N, r, p, salt, key] = stored.split('$') as [string, string, string, string, string, string];
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await inTurn(isKnownBrowser ? KNOWN_BROWSER : ANYONE, () =>
    derive(password, Buffer.from(salt, 'base64url'), cost),
  );
  return isSameDigest(derived, Buffer.from(key, 'base64url'));
}

function inTurn<T>({ applicant, maxWaiting }: typeof ANYONE, work: () => Promise<T>): Promise<T> {
  return hashing.run(applicant, { maxWaiting }, work);
}

function encoded(salt: Buffer, key: Buffer): string {
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** NFKC normalization makes a password independent of how the keyboard encodes accents. */
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
