import type { FailedCall } from './failed-calls.js';

/**
 * The result of a write, as far as its caller knows. `done` and `refused` mean that the write was answered. `unknown`
 * means that the call failed and was not repeated. Checkouts and writes with an idempotency key are repeated until they
 * are answered.
 */
export type Outcome = 'done' | 'refused' | 'unknown';

/** The writes that were sent to one store, with their outcomes, and what went wrong. */
export class Ledger {
  /** The stock writes. At most one writer sets the stock of each product, each time to a higher balance. */
  readonly stock: { productId: string; quantity: number; outcome: Outcome }[] = [];
  readonly products: { name: string; id: string | undefined; outcome: Outcome }[] = [];
  readonly images: { url: string; outcome: Outcome }[] = [];
  readonly checkouts: { checkoutId: string; outcome: Outcome }[] = [];
  readonly payments: { orderId: string }[] = [];
  readonly refunds: { orderId: string; restock: boolean; outcome: Outcome }[] = [];
  /** The times at which writes through the API were acknowledged, in milliseconds of performance.now(). */
  readonly acknowledgedAt: number[] = [];
  /** Calls that got no final response, whether they were repeated or not. */
  readonly failedCalls: FailedCall[] = [];
  /** The number of reads that returned 200. */
  reads = 0;
  /** Responses that a correct server never returns. */
  readonly unexpected: string[] = [];

  get acknowledged(): number {
    const lists: { outcome: Outcome }[][] = [
      this.stock,
      this.products,
      this.images,
      this.checkouts,
      this.refunds,
    ];
    return lists.flat().filter(({ outcome }) => outcome === 'done').length + this.payments.length;
  }
}
