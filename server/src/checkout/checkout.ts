import { ordersOf } from '../orders/storage.js';
import type { Clock } from '../platform/clock.js';
import type { Shop } from '../stores/queries.js';
import type { CheckoutFault } from './items.js';
import { openPayment, type PaymentServices } from './open-payment.js';
import { type OrderRequest, placeOrder } from './place-order.js';
import { CheckoutRefused, type Refusal } from './refused.js';

export interface CheckoutServices extends PaymentServices {
  clock: Clock;
}

/** The gateway is not the buyer's choice. */
export interface CheckoutRequest extends Omit<OrderRequest, 'payment'> {
  payment: { method: string; installments: number };
}

export type Outcome =
  | { orderId: string; transactionId: string; paymentUrl: string }
  | { faults: CheckoutFault[] }
  | { refused: Refusal };

/** Hundreds of buyers may want the same product at once. They wait in the share of their own store, so they may wait longer. */
const CHECKOUT_WAIT_MS = 20_000;

/**
 * From a cart to an order whose payment is open, for the checkout page and for the simulated buyers of the command line.
 * The order is one transaction (place-order.ts lists its steps); the payment is opened after its commit. A process that
 * dies in between leaves an order whose page offers to pay it.
 */
export async function checkOut(
  services: CheckoutServices,
  shop: Shop,
  request: CheckoutRequest,
): Promise<Outcome> {
  const { db, clock, gateway } = services;
  const { workspaceId } = shop;
  const { payment } = request;
  try {
    const placed = await ordersOf(db, workspaceId).transaction(
      (tx) =>
        placeOrder(tx, clock, workspaceId, { ...request, payment: { ...payment, gateway: gateway.name } }),
      { waitMs: CHECKOUT_WAIT_MS },
    );
    if ('faults' in placed) return placed;
    const { orderId, total } = placed;
    return { orderId, ...(await openPayment(services, shop, { id: orderId, total, payment })) };
  } catch (error) {
    if (error instanceof CheckoutRefused) return { refused: error.why };
    throw error;
  }
}
