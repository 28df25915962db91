import { hash, randomBytes } from 'node:crypto';

// With these prefixes, secret scanners can detect a leaked credential, and we reject the wrong kind of credential
// without a lookup.
const PREFIXES = {
  code: 'feira_ac_',
  access: 'feira_at_',
  refresh: 'feira_rt_',
  client: 'feira_cs_',
} as const;
const RANDOM_CHARACTERS = 43;

/** Returns a secret with 256 random bits. */
export function newSecret(kind: keyof typeof PREFIXES): string {
  return PREFIXES[kind] + randomBytes(32).toString('base64url');
}

export function isSecret(kind: keyof typeof PREFIXES, value: string): boolean {
  const prefix = PREFIXES[kind];
  return value.length === prefix.length + RANDOM_CHARACTERS && value.startsWith(prefix);
}

/** A plain hash is sufficient, because 256 random bits cannot be guessed like a password. */
export function hashOfSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
