import {
  cancelOrder,
  lockPaymentState,
  markPaid,
  type PaymentState,
  recordRefunded,
  recordTransaction,
} from '../orders/lifecycle.js';
import { requestRefund } from '../orders/refund.js';
import type { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { cents } from '../platform/schema/money.js';
import type { Notification } from './gateway.js';

// A gateway may send notifications repeatedly, late and out of sequence. Before a notification is applied, the row of
// its order is locked, and the notification is recorded. The effect depends only on that row, the refunds of the order and the
// recorded notifications. A refund that is reported before its payment therefore leaves the order in the same state as
// one that is reported after it.

/**
 * Why a payment needs manual review. `unknown_order`: the store has no such order. `amount_differs`: the paid amount is
 * not the order total; if it is lower, the order stays unpaid. `second_payment`: another payment for the order was
 * already received. `paid_after_cancel`: the order was already canceled; the payment is refunded.
 * `canceled_after_payment`: the gateway canceled the payment of an order that was already paid; the order does not
 * change. `refund_of_other_payment`: the refunded payment is not the one whose id is stored in the order; the order
 * does not change.
 */
export const ATTENTIONS = [
  'unknown_order',
  'amount_differs',
  'second_payment',
  'paid_after_cancel',
  'canceled_after_payment',
  'refund_of_other_payment',
] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** Applies a notification, unless it was applied before. Returns the reason if the payment needs manual review. */
export async function applyNotification(
  tx: Tx,
  clock: Clock,
  notification: Notification,
): Promise<Attention | undefined> {
  const { id, type, workspaceId, orderId, transactionId, amount, refundedInAll } = notification;
  const [order, first, reportedRefunds] = await Promise.all([
    lockPaymentState(tx, workspaceId, orderId),
    tx.query(sql`
      insert into payment_notifications (id, workspace_id, order_id, transaction_id, type, amount, refunded_in_all)
      values (${id}, ${workspaceId}, ${orderId}, ${transactionId}, ${type}, ${amount}, ${refundedInAll})
      on conflict do nothing returning 1`),
    knownRefunds(tx, notification),
  ]);
  if (first.length === 0) return undefined;
  const known = { ...notification, reportedRefunds };
  const attention = order ? await APPLY[type](tx, clock, order, known) : 'unknown_order';
  if (attention)
    await tx.query(sql`
      update payment_notifications set attention = ${attention} where id = ${id} and workspace_id = ${workspaceId}`);
  return attention;
}

/** A notification, and the highest refunded total that it or an earlier notification of its payment reports. */
interface KnownNotification extends Notification {
  reportedRefunds: number;
}

type Apply = (
  tx: Tx,
  clock: Clock,
  order: PaymentState,
  notification: KnownNotification,
) => Promise<Attention | undefined>;

const APPLY: Record<Notification['type'], Apply> = { paid, canceled, refunded };

async function paid(
  tx: Tx,
  clock: Clock,
  order: PaymentState,
  notification: KnownNotification,
): Promise<Attention | undefined> {
  const { workspaceId, orderId, transactionId, amount, reportedRefunds } = notification;
  if (order.status === 'canceled') return paidAfterCancel(tx, order, notification);
  if (order.status !== 'pending') return order.transactionId === transactionId ? undefined : 'second_payment';
  if (amount < order.total) return 'amount_differs';
  // Refunds need the payment id. An order placed with an earlier version of Feira does not have it if the process died
  // between opening the payment and storing its id.
  if (order.transactionId !== transactionId) await recordTransaction(tx, workspaceId, orderId, transactionId);
  await markPaid(tx, clock, workspaceId, [order]);
  if (reportedRefunds > 0)
    await recordRefunded(tx, workspaceId, 'gateway', { ...order, status: 'paid' }, reportedRefunds);
  return amount > order.total ? 'amount_differs' : undefined;
}

async function paidAfterCancel(
  tx: Tx,
  order: PaymentState,
  notification: KnownNotification,
): Promise<Attention | undefined> {
  const { workspaceId, orderId, transactionId } = notification;
  if (isOfOtherPayment(order, notification) && (await findRefund(tx, notification))) return 'second_payment';
  await recordTransaction(tx, workspaceId, orderId, transactionId);
  return (await refundCanceled(tx, notification)) ? 'paid_after_cancel' : undefined;
}

/**
 * Requests a refund of what the buyer paid for a canceled order, minus the amount that the gateway has already
 * refunded. The order stays canceled. Returns whether a refund was requested. If the order already has a refund, no
 * other is requested. If that refund is still open, its amount is adjusted, because the gateway rejects a refund that
 * exceeds the balance of the payment.
 */
async function refundCanceled(tx: Tx, notification: KnownNotification): Promise<boolean> {
  const { workspaceId, orderId, transactionId, reportedRefunds } = notification;
  const [received] = await tx.query<{ amount: number | null }>(sql`
    select max(amount) as amount from payment_notifications
    where workspace_id = ${workspaceId} and order_id = ${orderId} and transaction_id = ${transactionId} and type = 'paid'`);
  const owed = cents((received?.amount ?? 0) - reportedRefunds);
  const refund = await findRefund(tx, notification);
  if (refund?.status === 'requested')
    await tx.query(sql`
      update refunds set amount = ${Math.max(0, owed)} where workspace_id = ${workspaceId} and id = ${refund.id}`);
  if (refund || owed <= 0) return false;
  await requestRefund(tx, workspaceId, orderId, {
    amount: owed,
    reason: 'paid after the order was canceled',
    restock: false,
    origin: 'system',
  });
  return true;
}

async function findRefund(
  tx: Tx,
  { workspaceId, orderId }: Notification,
): Promise<{ id: string; status: 'requested' | 'done' } | undefined> {
  const [refund] = await tx.query<{ id: string; status: 'requested' | 'done' }>(sql`
    select id, status from refunds where workspace_id = ${workspaceId} and order_id = ${orderId} order by created_at limit 1`);
  return refund;
}

async function refunded(
  tx: Tx,
  _clock: Clock,
  order: PaymentState,
  notification: KnownNotification,
): Promise<Attention | undefined> {
  const { workspaceId } = notification;
  if (isOfOtherPayment(order, notification)) return 'refund_of_other_payment';
  if (order.status === 'canceled') await refundCanceled(tx, notification);
  // This does nothing for an order that is still pending. paid() applies the refund when the payment is reported.
  await recordRefunded(tx, workspaceId, 'gateway', order, notification.refundedInAll);
  return undefined;
}

async function canceled(
  tx: Tx,
  _clock: Clock,
  order: PaymentState,
  notification: Notification,
): Promise<Attention | undefined> {
  // If the canceled payment is not the one whose id is stored in the order, the order does not change.
  if (isOfOtherPayment(order, notification) || order.status === 'canceled') return undefined;
  const done = await cancelOrder(tx, notification.workspaceId, order, 'gateway');
  return done ? undefined : 'canceled_after_payment';
}

function isOfOtherPayment(order: PaymentState, { transactionId }: Notification): boolean {
  return order.transactionId !== null && order.transactionId !== transactionId;
}

/**
 * Returns the highest refunded total that the gateway has reported for the payment. Notifications may arrive in any
 * sequence, but the refunded total never decreases, so the highest total is the current one.
 */
async function knownRefunds(tx: Tx, { workspaceId, orderId, transactionId }: Notification): Promise<number> {
  const [known] = await tx.query<{ amount: number }>(sql`
    select coalesce(max(refunded_in_all), 0) as amount from payment_notifications
    where workspace_id = ${workspaceId} and order_id = ${orderId} and transaction_id = ${transactionId}`);
  return known!.amount;
}
