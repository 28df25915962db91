import { createHmac, timingSafeEqual } from 'node:crypto';

/** A buyer has no account: whoever has the link has the order. The key is in the query, which is never logged. */
export class OrderLinks {
  constructor(
    private readonly publicUrl: string,
    private readonly secret: string,
  ) {}

  urlOf(shop: { workspaceId: string; slug: string }, orderId: string): string {
    return `${this.publicUrl}/s/${shop.slug}/orders/${orderId}?key=${this.keyOf(shop.workspaceId, orderId)}`;
  }

  keyOf(workspaceId: string, orderId: string): string {
    return createHmac('sha256', this.secret).update(`order\n${workspaceId}\n${orderId}`).digest('base64url');
  }

  isKey(workspaceId: string, orderId: string, key: string): boolean {
    const expected = Buffer.from(this.keyOf(workspaceId, orderId));
    const given = Buffer.from(key);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}
