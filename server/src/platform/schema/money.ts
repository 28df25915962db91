/** The highest price or total, in reais. */
export const MAX_MONEY = 999_999_999_999.99;

/** Rounds a sum to cents. The floating-point error of such sums is far below half a cent, so the result is exact. */
export function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
