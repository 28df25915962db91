import { boletoDueDay } from '../orders/expires-at.js';
import { recordTransaction } from '../orders/lifecycle.js';
import { ordersOf } from '../orders/storage.js';
import type { PaymentGateway } from '../payments/gateway.js';
import type { Clock } from '../platform/clock.js';
import type { Database } from '../platform/db/database.js';
import type { Shop } from '../stores/queries.js';
import type { OrderLinks } from './order-links.js';

export interface PaymentServices {
  db: Database;
  clock: Clock;
  gateway: PaymentGateway;
  orderLinks: OrderLinks;
}

/** Opens the payment of an order, or returns the one that was already opened. */
export async function openPayment(
  { db, clock, gateway, orderLinks }: PaymentServices,
  shop: Shop,
  order: {
    id: string;
    total: number;
    payment: { method: string; installments: number; transactionId: string | null };
  },
): Promise<{ transactionId: string; paymentUrl: string }> {
  const { method, installments } = order.payment;
  const opened = await gateway.open({
    workspaceId: shop.workspaceId,
    orderId: order.id,
    storeName: shop.name,
    amount: order.total,
    method,
    installments,
    dueOn: method === 'boleto' ? boletoDueDay(clock, shop.timezone) : null,
    returnUrl: orderLinks.urlOf(shop, order.id),
  });
  const { transactionId } = opened;
  // The transaction id is stored when the order is placed. Earlier versions stored it only here, so an order of theirs
  // may still lack it.
  if (transactionId !== order.payment.transactionId)
    await recordTransaction(
      ordersOf(db, shop.workspaceId).autocommit,
      shop.workspaceId,
      order.id,
      transactionId,
    );
  return opened;
}
