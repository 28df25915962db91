/** Card payments can be split into up to this many installments, without interest. */
export const MAX_INSTALLMENTS = 12;
/** In reais. Smaller installments are not offered on the product page. */
const MIN_PART = 5;

/** Returns the maximum number of installments that the product page offers for a price. */
export function maxInstallments(price: number): number {
  return Math.max(1, Math.min(MAX_INSTALLMENTS, Math.floor(price / MIN_PART)));
}

/** Returns the amount of each installment after the first. The first one also includes the remaining cents. */
export function partOf(price: number, count: number): number {
  return Math.floor(Math.round(price * 100) / count) / 100;
}
