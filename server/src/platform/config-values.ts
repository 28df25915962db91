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

export function portIn(text: string): number | undefined {
  const port = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}
