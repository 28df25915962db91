import { ordersOf } from '../orders/storage.js';
import type { Shop } from '../stores/queries.js';
import type { CheckoutFault } from './items.js';
import { openPayment, type PaymentServices } from './open-payment.js';
import { type OrderRequest, placeOrder } from './place-order.js';
import { CheckoutRefused, type Refusal } from './refused.js';

export type CheckoutServices = PaymentServices;

/** An order request as the buyer makes it. checkOut() adds the payment gateway. */
export interface CheckoutRequest extends Omit<OrderRequest, 'payment'> {
  payment: { method: string; installments: number };
}

export type Outcome =
  | { orderId: string; transactionId: string; paymentUrl: string }
  | { faults: CheckoutFault[] }
  | { refused: Refusal };

/**
 * The maximum wait for a database connection. If hundreds of buyers order the same product at the same time, some wait
 * for its lock and the others for a connection. They are all limited to the store's share of the connections, so
 * a long wait does not affect other stores.
 */
const CHECKOUT_WAIT_MS = 20_000;

/**
 * Turns a cart into an order with an open payment, for the checkout page, for simulated buyers and for the demo store.
 * The order is placed in one transaction (see place-order.ts); the payment is opened after the commit. If the process
 * dies in between, the buyer can still pay on the order page.
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
      (tx) => placeOrder(tx, clock, workspaceId, { ...request, payment: { ...payment, gateway } }),
      { waitMs: CHECKOUT_WAIT_MS },
    );
    if ('faults' in placed) return placed;
    const { orderId, total, transactionId } = placed;
    const order = { id: orderId, total, payment: { ...payment, transactionId } };
    return { orderId, ...(await openPayment(services, shop, order)) };
  } catch (error) {
    if (error instanceof CheckoutRefused) return { refused: error.why };
    throw error;
  }
}
