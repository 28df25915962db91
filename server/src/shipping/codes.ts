import { randomInt } from 'node:crypto';

const WEIGHTS = [8, 6, 4, 2, 3, 5, 9, 7];

/**
 * Returns a tracking code in the format of postal services (UPU S10): two letters, eight digits, a check digit and the
 * country.
 */
export function newTrackingCode(): string {
  const serial = String(randomInt(100_000_000)).padStart(8, '0');
  return `SX${serial}${checkDigit(serial)}BR`;
}

export function checkDigit(serial: string): number {
  const sum = [...serial].reduce((total, digit, index) => total + Number(digit) * WEIGHTS[index]!, 0);
  const rest = 11 - (sum % 11);
  if (rest === 10) return 0;
  return rest === 11 ? 5 : rest;
}
