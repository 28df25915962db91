import { returnStock } from '../catalog/reserve.js';
import type { Origin } from '../events/names.js';
import { emit } from '../events/outbox.js';
import type { Clock } from '../platform/clock.js';
import type { Database } from '../platform/db/database.js';
import type { Tx } from '../platform/db/share.js';
import { fixed, raw, sql } from '../platform/db/sql.js';
import { forEachIsolated } from '../platform/for-each-isolated.js';
import { cents } from '../platform/schema/money.js';
import { countPaidOrders, countRefund } from './customers.js';
import { estimatedDelivery } from './estimated-delivery.js';
import { immediateExpiry } from './expires-at.js';
import type { OrderItem, OrderStatus } from './records.js';
import { ordersOf } from './storage.js';

export interface PaymentState {
  id: string;
  status: OrderStatus;
  total: number;
  refundedAmount: number;
  customerId: string;
  gateway: string;
  transactionId: string | null;
  items: OrderItem[];
  /**
   * The number of business days that the delivery service takes. Null if nothing is shipped, or if the order is older
   * than this column.
   */
  deliveryDays: number | null;
  timezone: string;
}

/** Locks an order and reads its payment state. */
export async function lockPaymentState(
  tx: Tx,
  workspaceId: string,
  orderId: string,
): Promise<PaymentState | undefined> {
  const [order] = await tx.query<PaymentState>(lockOne(workspaceId, orderId));
  return order;
}

/** Locks those orders that no other transaction has locked, and reads their payment states. */
export function lockFreePaymentStates(
  tx: Tx,
  workspaceId: string,
  orderIds: string[],
): Promise<PaymentState[]> {
  return tx.query<PaymentState>(lockFree(workspaceId, orderIds));
}

const paymentState = raw(`
  id, status, total, refunded_amount as "refundedAmount", customer_id as "customerId", gateway,
  transaction_id as "transactionId", items, delivery_days as "deliveryDays",
  (select timezone from workspaces w where w.id = orders.workspace_id) as timezone`);

const lockOne = fixed(
  (workspaceId: string, orderId: string) => sql`
    select ${paymentState} from orders where workspace_id = ${workspaceId} and id = ${orderId} for update`,
);

const lockFree = fixed(
  (workspaceId: string, orderIds: string[]) => sql`
    select ${paymentState} from orders
    where workspace_id = ${workspaceId} and id = any((select ${orderIds}::uuid[])::uuid[])
    for update skip locked`,
);

/** Records the gateway's payment id, which is needed for refunds. */
export async function recordTransaction(
  tx: Tx,
  workspaceId: string,
  orderId: string,
  transactionId: string,
): Promise<void> {
  await tx.query(sql`
    update orders set transaction_id = ${transactionId}
    where workspace_id = ${workspaceId} and id = ${orderId} and transaction_id is distinct from ${transactionId}`);
}

/**
 * Records that the buyer chose another payment method or number of installments for an unpaid order. The method must be
 * immediate (Pix or card), so the later expiry of a boleto is replaced by that of an immediate payment that begins now.
 */
export async function changePayment(
  tx: Tx,
  clock: Clock,
  workspaceId: string,
  orderId: string,
  { method, installments }: { method: string; installments: number },
): Promise<void> {
  await tx.query(sql`
    update orders set payment_method = ${method}, installments = ${installments},
      expires_at = least(expires_at, ${immediateExpiry(clock)}::timestamptz)
    where workspace_id = ${workspaceId} and id = ${orderId} and status = 'pending'
      and (payment_method, installments) <> (${method}, ${installments})`);
}

/** Marks pending orders of different customers as paid. The caller has locked the orders. */
export async function markPaid(
  tx: Tx,
  clock: Clock,
  workspaceId: string,
  orders: PaymentState[],
): Promise<void> {
  const ids = orders.map(({ id }) => id);
  const days = orders.map(({ timezone, deliveryDays }) => estimatedDelivery(clock, timezone, deliveryDays));
  await Promise.all([
    tx.query(sql`
      update orders o set status = 'paid', paid_at = now(), estimated_delivery = paid.estimated_delivery
      from unnest((select ${ids}::uuid[]), (select ${days}::date[])) as paid(id, estimated_delivery)
      where o.workspace_id = ${workspaceId} and o.id = paid.id`),
    countPaidOrders(tx, workspaceId, ids),
    emit(
      tx,
      workspaceId,
      'gateway',
      ids.map((orderId) => ({ event: 'order.paid', data: { orderId } })),
    ),
  ]);
}

export type CancelReason = 'expired' | 'merchant' | 'gateway';

const CANCELED_BY: Record<CancelReason, Origin> = {
  expired: 'system',
  merchant: 'console',
  gateway: 'gateway',
};

/** Cancels an unpaid order and puts its units back into stock. Returns false if the order is no longer pending. */
export async function cancelOrder(
  tx: Tx,
  workspaceId: string,
  order: PaymentState,
  reason: CancelReason,
): Promise<boolean> {
  if (order.status !== 'pending') return false;
  await tx.query(sql`
    update orders set status = 'canceled', status_shipping = 'canceled', canceled_at = now()
    where workspace_id = ${workspaceId} and id = ${order.id}`);
  const origin = CANCELED_BY[reason];
  await emit(tx, workspaceId, origin, [{ event: 'order.canceled', data: { orderId: order.id, reason } }]);
  await returnStock(tx, workspaceId, origin, order.items);
  return true;
}

/**
 * Records the total amount that the gateway has refunded. If it is less than the order total, the order becomes
 * partial_refunded (partial refunds are made only at the gateway), otherwise refunded. Reporting the same amount
 * again changes nothing.
 */
export async function recordRefunded(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  order: PaymentState,
  refundedInAll: number,
): Promise<void> {
  if (order.status !== 'paid' && order.status !== 'partial_refunded') return;
  const amount = Math.min(cents(refundedInAll), order.total);
  // An order of R$ 0 can be refunded too, although its refunded amount stays 0.
  if (amount <= order.refundedAmount && order.total > 0) return;
  const full = amount === order.total;
  await tx.query(sql`
    update orders set status = ${full ? 'refunded' : 'partial_refunded'}, refunded_amount = ${amount},
      refunded_at = case when ${full} then now() else refunded_at end,
      status_shipping = case when ${full} and status_shipping in ('pending', 'preparing') then 'canceled' else status_shipping end
    where workspace_id = ${workspaceId} and id = ${order.id}`);
  await countRefund(tx, workspaceId, order.customerId, cents(amount - order.refundedAmount));
  const orderId = order.id;
  const partial = { orderId, amount: cents(amount - order.refundedAmount), refundedAmount: amount };
  await emit(tx, workspaceId, origin, [
    full
      ? { event: 'order.refunded', data: { orderId } }
      : { event: 'order.partially_refunded', data: partial },
  ]);
}

/** The position of an order in the list sorted by expiry. */
interface Due {
  workspace_id: string;
  id: string;
  expires_at: string;
}

const BEFORE_ALL = { expires_at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/**
 * Cancels expired unpaid orders. Each order has its own transaction, so that the stock of a store is not locked while
 * other orders are canceled. Each call reads all expired orders, page by page. If it read only the first page, orders
 * that cannot be canceled could fill that page and block all later ones.
 */
export async function expireUnpaid(db: Database, clock: Clock, pageSize = 1_000): Promise<void> {
  const now = new Date(clock.now()).toISOString();
  const failures: unknown[] = [];
  let after: Pick<Due, 'expires_at' | 'id'> = BEFORE_ALL;
  for (;;) {
    const due = await db.background('expiry').query<Due>(sql`
      select workspace_id, id, expires_at from orders
      where status = 'pending' and expires_at <= ${now} and (expires_at, id) > (${after.expires_at}::timestamptz, ${after.id}::uuid)
      order by expires_at, id limit ${pageSize}`);
    await forEachIsolated(due, (order) => expireOrder(db, order)).catch((error) => failures.push(error));
    if (due.length < pageSize) break;
    after = due.at(-1)!;
  }
  if (failures.length > 0) throw new AggregateError(failures, 'some unpaid orders could not be canceled');
}

function expireOrder(db: Database, { workspace_id, id }: Due): Promise<void> {
  return ordersOf(db, workspace_id).transaction(async (tx) => {
    const order = await lockPaymentState(tx, workspace_id, id);
    if (order) await cancelOrder(tx, workspace_id, order, 'expired');
  });
}
