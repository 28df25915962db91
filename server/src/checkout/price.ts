import { hash } from 'node:crypto';
import { cents, MAX_MONEY } from '../platform/schema/money.js';
import { type DeliveryOption, deliveryOptions } from './delivery-options.js';
import type { PricedItem } from './items.js';
import { CheckoutRefused } from './refused.js';

export interface Price {
  subtotal: number;
  shippingCost: number;
  total: number;
  /** The delivery service that the buyer pays for. */
  delivery: DeliveryOption;
}

/**
 * Computes the total of items that the caller has locked. Throws CheckoutRefused if the items, a price or a delivery
 * cost differ from what the buyer was shown (`agreed`), if there is nothing to buy, if the postal code does not have
 * eight digits, or if the total exceeds the maximum.
 */
export function agreedPrice(
  { zipCode, service, agreed }: { zipCode: string; service: string; agreed?: string | undefined },
  items: PricedItem[],
): Price {
  if (items.length === 0) throw new CheckoutRefused('empty');
  const options = deliveryOptions(zipCode, items) ?? [];
  if (agreed !== undefined && agreed !== priceTag(items, options)) throw new CheckoutRefused('changed');
  const chosen = options.find((option) => option.service === service) ?? options[0];
  if (!chosen) throw new CheckoutRefused('changed');
  const subtotal = subtotalOf(items);
  const total = cents(subtotal + chosen.cost);
  if (total > MAX_MONEY) throw new CheckoutRefused('too_much');
  return { subtotal, shippingCost: chosen.cost, total, delivery: chosen };
}

/** Returns a digest of what the buyer is shown: every line with its price, and the cost of every delivery service. */
export function priceTag(items: PricedItem[], options: DeliveryOption[]): string {
  const lines = items
    .map(({ sellable, quantity }) => [
      sellable.productId,
      sellable.variantId,
      quantity,
      cents(sellable.unitPrice),
    ])
    .sort();
  const freight = options.map(({ service, cost }) => [service, cost]);
  return hash('sha256', JSON.stringify([lines, freight]), 'base64url').slice(0, 22);
}

export function subtotalOf(items: PricedItem[]): number {
  return cents(items.reduce((sum, { sellable, quantity }) => sum + cents(sellable.unitPrice * quantity), 0));
}
