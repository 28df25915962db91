/** Card payments are divided without interest. */
export const MAX_INSTALLMENTS = 12;
/** Smaller installments are not offered on the product page, as in most shops. */
const LEAST_PART = 5;

/** The maximum number of installments for a price. */
export function mostInstallments(price: number): number {
  return Math.max(1, Math.min(MAX_INSTALLMENTS, Math.floor(price / LEAST_PART)));
}

/** The amount of each installment after the first, which includes the remaining cents. */
export function partOf(price: number, count: number): number {
  return Math.floor(Math.round(price * 100) / count) / 100;
}
