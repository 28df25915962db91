import type { Signer } from '../../platform/crypto/signer.js';

/**
 * The URLs of payment pages. The transaction id alone must not be sufficient to pay, because partners know it and logs
 * contain it. So the page also requires a key. The key is in the query string, because this server does not log query
 * strings.
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
