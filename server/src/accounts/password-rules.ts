import { COMMON_PASSWORDS } from './common-passwords.js';

export const MIN_PASSWORD = 8;
const MAX_PASSWORD = 200;

export type PasswordFault = 'length' | 'guessable';

/** Whether an account can have it at all. The upper bound keeps hashing cheap. */
export function isPossiblePassword(password: string): boolean {
  return password.length >= MIN_PASSWORD && password.length <= MAX_PASSWORD;
}

/**
 * Why a new password is refused: too short, or among the first a guesser tries. Rules about kinds of characters are left
 * out on purpose, they make passwords worse (NIST SP 800-63B). Passwords set before these rules go on working.
 */
export function passwordFault(password: string, email: string): PasswordFault | undefined {
  if (!isPossiblePassword(password)) return 'length';
  const plain = password.normalize('NFKC').trim().toLowerCase();
  const address = email.trim().toLowerCase();
  const isOneCharacter = new Set(plain).size === 1;
  const isOfEmail = plain === address || plain === address.split('@')[0];
  return isOneCharacter || isOfEmail || COMMON_PASSWORDS.has(plain) ? 'guessable' : undefined;
}
