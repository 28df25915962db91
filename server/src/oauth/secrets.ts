import { hash, randomBytes } from 'node:crypto';

// The prefix lets secret scanners detect a leaked credential, and lets us reject the wrong kind without a lookup.
const PREFIXES = {
  code: 'feira_ac_',
  access: 'feira_at_',
  refresh: 'feira_rt_',
  client: 'feira_cs_',
} as const;
const RANDOM_CHARACTERS = 43;

/** A secret with 256 random bits. It is shown once; we store only its hash. */
export function newSecret(kind: keyof typeof PREFIXES): string {
  return PREFIXES[kind] + randomBytes(32).toString('base64url');
}

export function isSecret(kind: keyof typeof PREFIXES, value: string): boolean {
  const prefix = PREFIXES[kind];
  return value.length === prefix.length + RANDOM_CHARACTERS && value.startsWith(prefix);
}

/** A plain hash is sufficient for 256 random bits, because unlike a password they cannot be guessed. */
export function hashOfSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
