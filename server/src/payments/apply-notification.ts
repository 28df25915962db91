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

// A gateway sends notifications more than once, late and in any order. Each one is recorded first, under the lock of
// its order, and its effect depends only on the order and the recorded notifications. So the notifications of a
// payment lead to the same state in any order.

/**
 * Why a payment needs manual review. `amount_differs`: the paid amount is not the total; a lower one does not pay the
 * order. `second_payment`: the order was already paid with another payment. `paid_after_cancel`: the payment is
 * refunded. `canceled_after_payment`: the order stays paid. `refund_of_other_payment`: the order does not change.
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

/** Applies a notification once; a repetition changes nothing. */
export async function applyNotification(
  tx: Tx,
  clock: Clock,
  notification: Notification,
): Promise<Attention | undefined> {
  const { id, type, workspaceId, orderId, transactionId, amount, refundedInAll } = notification;
  const [first, order] = await Promise.all([
    tx.query(sql`
      insert into payment_notifications (id, workspace_id, order_id, transaction_id, type, amount, refunded_in_all)
      values (${id}, ${workspaceId}, ${orderId}, ${transactionId}, ${type}, ${amount}, ${refundedInAll})
      on conflict do nothing returning 1`),
    lockPaymentState(tx, workspaceId, orderId),
  ]);
  if (first.length === 0) return undefined;
  const attention = order ? await APPLY[type](tx, clock, order, notification) : 'unknown_order';
  if (attention)
    await tx.query(sql`
      update payment_notifications set attention = ${attention} where id = ${id} and workspace_id = ${workspaceId}`);
  return attention;
}

type Apply = (
  tx: Tx,
  clock: Clock,
  order: PaymentState,
  notification: Notification,
) => Promise<Attention | undefined>;

const APPLY: Record<Notification['type'], Apply> = { paid, canceled, refunded };

async function paid(
  tx: Tx,
  clock: Clock,
  order: PaymentState,
  notification: Notification,
): Promise<Attention | undefined> {
  const { workspaceId, orderId, transactionId, amount } = notification;
  if (order.status === 'canceled') return paidAfterCancel(tx, order, notification);
  if (order.status !== 'pending') return order.transactionId === transactionId ? undefined : 'second_payment';
  if (amount < order.total) return 'amount_differs';
  // The process that opened the payment may have died before it stored which one it is, and a refund needs to know.
  if (order.transactionId !== transactionId) await recordTransaction(tx, workspaceId, orderId, transactionId);
  const [refundedBefore] = await Promise.all([
    knownRefunds(tx, notification),
    markPaid(tx, clock, workspaceId, order),
  ]);
  if (refundedBefore > 0)
    await recordRefunded(tx, workspaceId, 'gateway', { ...order, status: 'paid' }, refundedBefore);
  return amount > order.total ? 'amount_differs' : undefined;
}

async function paidAfterCancel(
  tx: Tx,
  order: PaymentState,
  notification: Notification,
): Promise<Attention | undefined> {
  const { workspaceId, orderId, transactionId } = notification;
  if (isOfOtherPayment(order, notification) && (await findRefund(tx, notification))) return 'second_payment';
  await recordTransaction(tx, workspaceId, orderId, transactionId);
  return (await returnMoney(tx, notification)) ? 'paid_after_cancel' : undefined;
}

/**
 * Refunds the payment of a canceled order once, without the amount that the gateway has already refunded. The order
 * stays canceled. Called again when the gateway reports a refund, because it refuses to refund more than its balance.
 */
async function returnMoney(tx: Tx, notification: Notification): Promise<boolean> {
  const { workspaceId, orderId, transactionId } = notification;
  const [received] = await tx.query<{ amount: number | null }>(sql`
    select max(amount) as amount from payment_notifications
    where workspace_id = ${workspaceId} and order_id = ${orderId} and transaction_id = ${transactionId} and type = 'paid'`);
  const owed = cents((received?.amount ?? 0) - (await knownRefunds(tx, notification)));
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
  notification: Notification,
): Promise<Attention | undefined> {
  const { workspaceId } = notification;
  if (isOfOtherPayment(order, notification)) return 'refund_of_other_payment';
  // The payment of a pending order was not reported yet. paid() then applies the refund that is recorded now.
  if (order.status === 'canceled') await returnMoney(tx, notification);
  await recordRefunded(tx, workspaceId, 'gateway', order, notification.refundedInAll);
  return undefined;
}

async function canceled(
  tx: Tx,
  _clock: Clock,
  order: PaymentState,
  notification: Notification,
): Promise<Attention | undefined> {
  // The cancellation of a payment that the buyer abandoned for another one does not affect the order.
  if (isOfOtherPayment(order, notification) || order.status === 'canceled') return undefined;
  const done = await cancelOrder(tx, notification.workspaceId, order, 'gateway');
  return done ? undefined : 'canceled_after_payment';
}

function isOfOtherPayment(order: PaymentState, { transactionId }: Notification): boolean {
  return order.transactionId !== null && order.transactionId !== transactionId;
}

/**
 * Returns the refunded amount that the gateway reported. Notifications may arrive in any order, so the highest sum is the
 * latest.
 */
async function knownRefunds(tx: Tx, { workspaceId, orderId, transactionId }: Notification): Promise<number> {
  const [known] = await tx.query<{ amount: number }>(sql`
    select coalesce(max(refunded_in_all), 0) as amount from payment_notifications
    where workspace_id = ${workspaceId} and order_id = ${orderId} and transaction_id = ${transactionId}`);
  return known!.amount;
}
