import type { Signer } from '../platform/crypto/signer.js';

/**
 * Buyers have no account, so the link itself grants access to the order. Its key is in the query string, which is never
 * logged.
 */
export class OrderLinks {
  constructor(
    private readonly publicUrl: string,
    private readonly signer: Signer,
  ) {}

  urlOf(shop: { workspaceId: string; slug: string }, orderId: string): string {
    return `${this.publicUrl}/s/${shop.slug}/orders/${orderId}?key=${this.keyOf(shop.workspaceId, orderId)}`;
  }

  keyOf(workspaceId: string, orderId: string): string {
    return this.signer.sign('order link', workspaceId, orderId);
  }

  isKey(workspaceId: string, orderId: string, key: string): boolean {
    return (
      this.signer.verify('order link', key, workspaceId, orderId) ||
      this.signer.verifyFirstOrderLink(key, workspaceId, orderId)
    );
  }
}
