import { hash, randomBytes } from 'node:crypto';

// The prefix lets secret scanners recognise a leaked credential, and us refuse the wrong kind without a look-up.
const PREFIXES = {
  code: 'feira_ac_',
  access: 'feira_at_',
  refresh: 'feira_rt_',
  client: 'feira_cs_',
} as const;
const RANDOM_CHARACTERS = 43;

/** 256 random bits. Whoever makes one shows it once; we keep its hash. */
export function newSecret(kind: keyof typeof PREFIXES): string {
  return PREFIXES[kind] + randomBytes(32).toString('base64url');
}

export function isSecret(kind: keyof typeof PREFIXES, value: string): boolean {
  const prefix = PREFIXES[kind];
  return value.length === prefix.length + RANDOM_CHARACTERS && value.startsWith(prefix);
}

/** A plain hash is enough for 256 random bits: there is nothing to guess, unlike with a password. */
export function hashOfSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
