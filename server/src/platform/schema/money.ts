/** The highest price or total, in reais. */
export const MAX_MONEY = 999_999_999_999.99;

/** Rounds an amount to cents. This makes sums of prices exact: their floating-point error is far below half a cent. */
export function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
