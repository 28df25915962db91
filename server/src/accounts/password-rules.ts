import { COMMON_PASSWORDS } from './common-passwords.js';

export const MIN_PASSWORD = 8;
const MAX_PASSWORD = 200;

export type PasswordFault = 'length' | 'guessable';

/** Checks only the length. The maximum limits the cost of hashing. */
export function isPossiblePassword(password: string): boolean {
  return password.length >= MIN_PASSWORD && password.length <= MAX_PASSWORD;
}

/**
 * Returns why a new password is rejected: it is too short, too long or easy to guess. There are deliberately no rules
 * about character classes, because they lead to weaker passwords (NIST SP 800-63B). Existing passwords that are easy to
 * guess remain valid.
 */
export function passwordFault(password: string, email: string): PasswordFault | undefined {
  if (!isPossiblePassword(password)) return 'length';
  const plain = password.normalize('NFKC').trim().toLowerCase();
  const address = email.trim().toLowerCase();
  const isOneCharacter = new Set(plain).size === 1;
  const isOfEmail = plain === address || plain === address.split('@')[0];
  return isOneCharacter || isOfEmail || COMMON_PASSWORDS.has(plain) ? 'guessable' : undefined;
}
