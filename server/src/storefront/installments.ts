/** Card payments are divided without interest. */
export const MAX_INSTALLMENTS = 12;
/** Smaller parts are not offered in the preview of a product, as in most shops. */
const LEAST_PART = 5;

/** The most parts that a price is offered in. */
export function mostInstallments(price: number): number {
  return Math.max(1, Math.min(MAX_INSTALLMENTS, Math.floor(price / LEAST_PART)));
}

/** The amount of each part after the first; the first one carries the cents that remain. */
export function partOf(price: number, count: number): number {
  return Math.floor(Math.round(price * 100) / count) / 100;
}
