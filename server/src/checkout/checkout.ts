import { hash } from 'node:crypto';
import type { Line } from '../catalog/reserve.js';
import { noteTransaction } from '../orders/life.js';
import type { Buyer } from '../orders/records.js';
import { ordersOf } from '../orders/storage.js';
import type { PaymentGateway } from '../payments/gateway.js';
import type { Clock } from '../platform/clock.js';
import type { Database } from '../platform/db/database.js';
import { cents, MAX_MONEY } from '../platform/schema/money.js';
import type { Shop } from '../stores/queries.js';
import { type Bought, type DeliveryOption, deliveryOptions } from './delivery-options.js';
import type { OrderLinks } from './order-links.js';
import { type CheckoutFault, placeOrder } from './place-order.js';
import { CheckoutRefused, type Refusal } from './refused.js';

/** What a purchase passes through. */
export interface Till {
  db: Database;
  clock: Clock;
  gateway: PaymentGateway;
  orderLinks: OrderLinks;
}

export interface Purchase {
  checkoutId: string;
  lines: Line[];
  buyer: Buyer;
  service: string;
  payment: { method: string; installments: number };
  /** priceTag() of what the buyer was shown; without it any price is agreed to. */
  agreed?: string;
  /** The buyer's network, which limits apply to; the operator's own simulated buyers have none. */
  network?: string;
}

export type Outcome =
  | { orderId: string; transactionId: string; paymentUrl: string }
  | { faults: CheckoutFault[] }
  | { refused: Refusal };

/** Hundreds of buyers may want the same product at once. Waiting costs nobody else anything, so they wait longer. */
const CHECKOUT_WAIT_MS = 20_000;

/**
 * The one way to an order, for the checkout page and for the simulated buyers of the command line: the order in one
 * transaction, then its payment. A process that dies in between leaves an order whose page offers to pay it.
 */
export async function purchase(till: Till, shop: Shop, bought: Purchase): Promise<Outcome> {
  const { payment } = bought;
  try {
    const placed = await ordersOf(till.db, shop.workspaceId).transaction(
      (tx) =>
        placeOrder(tx, till.clock, shop.workspaceId, {
          checkoutId: bought.checkoutId,
          lines: bought.lines,
          buyer: bought.buyer,
          payment: { ...payment, gateway: till.gateway.name },
          network: bought.network,
          freight: (items) => agreedFreight(bought, items),
        }),
      { waitMs: CHECKOUT_WAIT_MS },
    );
    if ('faults' in placed) return placed;
    const { orderId, total } = placed;
    return { orderId, ...(await openPayment(till, shop, { id: orderId, total, payment })) };
  } catch (error) {
    if (error instanceof CheckoutRefused) return { refused: error.why };
    throw error;
  }
}

/** Opens the payment of an order, or finds the one that is open. */
export async function openPayment(
  { db, gateway, orderLinks }: Till,
  shop: Shop,
  order: { id: string; total: number; payment: { method: string; installments: number } },
): Promise<{ transactionId: string; paymentUrl: string }> {
  const { method, installments } = order.payment;
  const opened = await gateway.open({
    workspaceId: shop.workspaceId,
    orderId: order.id,
    storeName: shop.name,
    amount: order.total,
    method,
    installments,
    returnUrl: orderLinks.urlOf(shop, order.id),
  });
  await noteTransaction(
    ordersOf(db, shop.workspaceId).autocommit,
    shop.workspaceId,
    order.id,
    opened.transactionId,
  );
  return opened;
}

/** Stands for everything that the buyer pays for and how much, whichever delivery they choose. */
export function priceTag(items: Bought[], options: DeliveryOption[]): string {
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

/** Called with the prices under the lock: throwing here takes the whole order back. */
function agreedFreight({ buyer, service, agreed }: Purchase, items: Bought[]): number {
  if (items.length === 0) throw new CheckoutRefused('empty');
  const options = deliveryOptions(buyer.address.zipCode, items) ?? [];
  if (agreed !== undefined && agreed !== priceTag(items, options)) throw new CheckoutRefused('changed');
  const chosen = options.find((option) => option.service === service) ?? options[0];
  if (!chosen) throw new CheckoutRefused('changed');
  if (chosen.cost + subtotalOf(items) > MAX_MONEY) throw new CheckoutRefused('too_much');
  return chosen.cost;
}

export function subtotalOf(items: Bought[]): number {
  return cents(items.reduce((sum, { sellable, quantity }) => sum + cents(sellable.unitPrice * quantity), 0));
}
