import { lockFreePaymentStates, markPaid, type PaymentState } from '../orders/lifecycle.js';
import type { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import type { Notification } from './gateway.js';

/**
 * Applies those notifications that report exactly the expected payment of an order, as nearly all do, with one statement
 * per table. Returns them. The notifications must have different ids and orders.
 *
 * The others must be passed to applyNotification(), each in a transaction of its own: notifications that were applied
 * before, those whose order another transaction has locked, second orders of one customer, and everything that may lock
 * products. Together in one transaction, they would lock rows in a sequence that can lead to deadlocks.
 */
export async function applyPayments(
  tx: Tx,
  clock: Clock,
  workspaceId: string,
  notifications: Notification[],
): Promise<Set<Notification>> {
  const orderIds = notifications.map(({ orderId }) => orderId);
  const [orders, known] = await Promise.all([
    lockFreePaymentStates(tx, workspaceId, orderIds),
    ordersWithNotifications(tx, workspaceId, orderIds),
  ]);
  const payments = new Map<Notification, PaymentState>();
  const customers = new Set<string>();
  for (const notification of notifications) {
    const order = orders.find(({ id }) => id === notification.orderId);
    if (!order || known.has(order.id) || customers.has(order.customerId)) continue;
    if (!isFullPayment(order, notification)) continue;
    payments.set(notification, order);
    customers.add(order.customerId);
  }
  const applied = [...payments.keys()];
  if (applied.length > 0)
    await tx.last(() =>
      Promise.all([
        record(tx, workspaceId, applied),
        markPaid(tx, clock, workspaceId, [...payments.values()]),
      ]),
    );
  return new Set(applied);
}

/** Returns the ids of those orders for which a notification is already recorded. */
async function ordersWithNotifications(
  tx: Tx,
  workspaceId: string,
  orderIds: string[],
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    select order_id as id from payment_notifications
    where workspace_id = ${workspaceId} and order_id = any((select ${orderIds}::uuid[])::uuid[])`);
  return new Set(rows.map(({ id }) => id));
}

function isFullPayment(order: PaymentState, notification: Notification): boolean {
  const { type, amount, transactionId, refundedInAll } = notification;
  const isExpected = order.status === 'pending' && order.transactionId === transactionId;
  return type === 'paid' && isExpected && amount === order.total && refundedInAll === 0;
}

/** Fails if a notification with one of these ids exists, which must then be for another order. */
async function record(tx: Tx, workspaceId: string, notifications: Notification[]): Promise<void> {
  const rows = notifications.map(({ id, orderId, transactionId, amount }) => ({
    id,
    order_id: orderId,
    transaction_id: transactionId,
    amount,
  }));
  await tx.query(sql`
    insert into payment_notifications (id, workspace_id, order_id, transaction_id, type, amount, refunded_in_all)
    select id, ${workspaceId}, order_id, transaction_id, 'paid', amount, 0
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(id text, order_id uuid, transaction_id text, amount numeric)`);
}
