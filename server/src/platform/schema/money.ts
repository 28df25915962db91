/** In reais: the most that a price or a total can be. */
export const MAX_MONEY = 999_999_999_999.99;

/** Sums of cents in floating point are off by far less than half a cent: rounding makes them exact again. */
export function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
