import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

// 32 MiB and some 60 ms a guess. The parameters stand in each hash, so they can be raised without losing old ones.
const COST = { N: 2 ** 15, r: 8, p: 1 };
const LENGTH = 32;

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt, key] = stored.split('$') as [string, string, string, string, string, string];
  const derived = await derive(password, Buffer.from(salt, 'base64url'), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return timingSafeEqual(derived, Buffer.from(key, 'base64url'));
}

/** NFKC, so that one password typed on two keyboards is one. Async: a guess must not hold up other requests. */
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
