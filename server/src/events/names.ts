export const EVENT_NAMES = [
  'product.created',
  'product.updated',
  'product.deleted',
  'stock.updated',
  'order.created',
  'order.paid',
  'order.shipped',
  'order.refunded',
  'order.canceled',
  'order.partially_refunded',
  'order.invoiced',
] as const;

export type EventName = (typeof EVENT_NAMES)[number];

/** The actor that caused a change. */
export type Origin = `app:${string}` | 'console' | 'storefront' | 'gateway' | 'carrier' | 'system';

export function originOfApp({ clientId }: { clientId: string }): Origin {
  return `app:${clientId}`;
}
