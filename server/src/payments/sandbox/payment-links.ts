import type { Signer } from '../../platform/crypto/signer.js';

/**
 * The URL of a payment page. Partners know the transaction id and logs contain it, so it must not be sufficient to
 * pay: the page also requires a key. The key is in the query, which is never logged.
 */
export class PaymentLinks {
  constructor(
    private readonly publicUrl: string,
    private readonly signer: Signer,
  ) {}

  urlOf(transactionId: string): string {
    return `${this.publicUrl}/sandbox/pay/${transactionId}?key=${this.keyOf(transactionId)}`;
  }

  keyOf(transactionId: string): string {
    return this.signer.sign('payment page', transactionId);
  }

  isKey(transactionId: string, key: string): boolean {
    return this.signer.verify('payment page', key, transactionId);
  }
}
