import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The address of a payment page. Partners read the transaction id and logs contain it, so it must not be enough to pay:
 * the page needs a key as well. The key is in the query, which is never logged.
 */
export class PaymentLinks {
  constructor(
    private readonly publicUrl: string,
    private readonly secret: string,
  ) {}

  urlOf(transactionId: string): string {
    return `${this.publicUrl}/sandbox/pay/${transactionId}?key=${this.keyOf(transactionId)}`;
  }

  keyOf(transactionId: string): string {
    return createHmac('sha256', this.secret).update(`payment page\n${transactionId}`).digest('base64url');
  }

  isKey(transactionId: string, key: string): boolean {
    const expected = Buffer.from(this.keyOf(transactionId));
    const given = Buffer.from(key);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}
