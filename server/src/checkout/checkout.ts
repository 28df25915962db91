import type { Shop } from '../stores/queries.js';
import type { CheckoutFault } from './items.js';
import { openPayment, type PaymentServices } from './open-payment.js';
import type { OrderPlacement } from './order-placement.js';
import type { Refusal } from './refused.js';
import type { OrderRequest } from './request.js';

export interface CheckoutServices extends PaymentServices {
  placement: OrderPlacement;
}

/** An order request as the buyer makes it. checkOut() adds the payment gateway. */
export interface CheckoutRequest extends Omit<OrderRequest, 'payment'> {
  payment: { method: string; installments: number };
}

export type Outcome =
  | { orderId: string; transactionId: string; paymentUrl: string }
  | { faults: CheckoutFault[] }
  | { refused: Refusal };

/**
 * Turns a cart into an order with an open payment, for the checkout page, for simulated buyers and for the demo store.
 * The order is placed in one transaction (see place-orders.ts); the payment is opened after the commit. If the process
 * dies in between, the buyer can still pay on the order page.
 */
export async function checkOut(
  services: CheckoutServices,
  shop: Shop,
  request: CheckoutRequest,
): Promise<Outcome> {
  const { gateway, placement } = services;
  const { payment } = request;
  const placed = await placement.place(shop.workspaceId, { ...request, payment: { ...payment, gateway } });
  if (!('orderId' in placed)) return placed;
  const { orderId, total, transactionId } = placed;
  const order = { id: orderId, total, payment: { ...payment, transactionId } };
  return { orderId, ...(await openPayment(services, shop, order)) };
}
