import { isIP } from 'node:net';
import { weaknessOf } from './crypto/secrets.js';

export function refuseWeakSecret(name: string, secret: string, faults: string[]): void {
  const weakness = weaknessOf(secret);
  if (weakness) faults.push(`${name} ${weakness} (generate a secret with openssl rand -hex 32)`);
}

export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const max = { 0: -1, 4: 32, 6: 128 }[isIP(address)] as number;
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= max);
  return max > 0 && fits && rest.length === 0;
}

/** Reads a variable that is true or false; 1 and 0 are accepted too. Returns undefined if the variable is not set. */
export function readFlag(
  read: (name: string) => string | undefined,
  name: string,
  faults: string[],
): boolean | undefined {
  const value = read(name);
  if (value === undefined) return undefined;
  if (!['true', 'false', '1', '0'].includes(value)) faults.push(`${name} must be true or false`);
  return value === 'true' || value === '1';
}

export function portIn(text: string): number | undefined {
  const port = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}
