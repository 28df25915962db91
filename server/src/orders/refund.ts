import { returnStock } from '../catalog/reserve.js';
import type { Origin } from '../events/names.js';
import type { Clock } from '../platform/clock.js';
import type { Database } from '../platform/db/database.js';
import type { Share, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { forEachIsolated } from '../platform/for-each-isolated.js';
import { ApiError, conflict, notFound } from '../platform/http/errors.js';
import { isDue, postpone } from '../platform/postpone.js';
import { isId, newId } from '../platform/schema/ids.js';
import { cents } from '../platform/schema/money.js';
import { lockPaymentState, recordRefunded } from './lifecycle.js';
import { ordersOf } from './storage.js';

/** What a refund needs from a gateway. Repeating a request with the same `requestId` must not move money twice. */
export interface Refunder {
  refund(transactionId: string, requestId: string, amount: number): Promise<{ refundedInAll: number }>;
}

/** Used on a server without a payment gateway. */
export const noRefunder: Refunder = {
  refund: async () => {
    throw conflict(
      'no_payment_gateway',
      'This server has no payment gateway, so it cannot refund; ask its operator to set PAYMENT_GATEWAY',
    );
  },
};

export interface RefundRecord {
  id: string;
  amount: number;
  reason: string | null;
  createdAt: string;
}

interface Request {
  amount: number;
  reason: string | null;
  restock: boolean;
  origin: Origin;
  idempotencyKey?: string | undefined;
}

/**
 * Refunds the part of the order total that is not refunded yet. The refund is first recorded, then requested from the
 * gateway with the id of the record. Finally the order is updated and its event is emitted, in one transaction. If the
 * process dies in between, the worker completes the refund. A repeated call with the same Idempotency-Key returns the
 * recorded refund.
 */
export async function refundOrder(
  db: Share,
  refunder: Refunder,
  workspaceId: string,
  origin: Origin,
  orderId: string,
  body: { reason?: string | null; restock?: boolean },
  idempotencyKey: string | undefined,
): Promise<RefundRecord> {
  const begun = await db.transaction(async (tx) => {
    const order = isId(orderId) ? await lockPaymentState(tx, workspaceId, orderId) : undefined;
    if (!order) throw notFound('Order', orderId);
    const [repeated] = await findByKey(tx, workspaceId, orderId, idempotencyKey);
    if (repeated) return repeated;
    if (order.status !== 'paid' && order.status !== 'partial_refunded') {
      throw conflict(
        'not_refundable',
        `The order is ${order.status}. Only an order that is paid or partial_refunded can be refunded`,
      );
    }
    const amount = cents(order.total - order.refundedAmount);
    const { reason = null, restock = false } = body;
    const request = { amount, reason, restock, origin, idempotencyKey };
    const refund = await requestRefund(tx, workspaceId, orderId, request);
    if (!refund)
      throw conflict(
        'refund_under_way',
        'A refund of this order is in progress. Read the order again in a few seconds',
      );
    return refund;
  });
  await finishRefund(db, refunder, workspaceId, begun.id);
  return begun;
}

/** Records a refund, to be completed by finishRefund. Returns undefined if a refund of the order is in progress. */
export async function requestRefund(
  tx: Tx,
  workspaceId: string,
  orderId: string,
  request: Request,
): Promise<RefundRecord | undefined> {
  const [refund] = await tx.query<RefundRecord>(sql`
    insert into refunds (workspace_id, id, order_id, amount, reason, restock, origin, idempotency_key)
    values (${workspaceId}, ${newId()}, ${orderId}, ${request.amount}, ${request.reason}, ${request.restock},
            ${request.origin}, ${request.idempotencyKey ?? null})
    on conflict (workspace_id, order_id) where status = 'requested' do nothing
    returning id, amount, reason, created_at as "createdAt"`);
  return refund;
}

/** Completes a recorded refund. It may be called concurrently, and again after any failure. */
async function finishRefund(
  db: Share,
  refunder: Refunder,
  workspaceId: string,
  refundId: string,
): Promise<void> {
  const [refund] = await db.query<{
    order_id: string;
    amount: number;
    status: string;
    transaction_id: string | null;
  }>(sql`
    select r.order_id, r.amount, r.status, o.transaction_id from refunds r
    join orders o on o.workspace_id = r.workspace_id and o.id = r.order_id
    where r.workspace_id = ${workspaceId} and r.id = ${refundId}`);
  if (!refund || refund.status === 'done') return;
  // Nothing is left to refund if the order total is R$ 0, or if the gateway has already refunded a canceled order.
  const refundedInAll =
    refund.amount === 0 ? 0 : await askGateway(db, refunder, workspaceId, refundId, refund);
  await db.transaction(async (tx) => {
    const order = await lockPaymentState(tx, workspaceId, refund.order_id);
    const [ours] = await tx.query<{ restock: boolean; origin: Origin }>(sql`
      update refunds set status = 'done' where workspace_id = ${workspaceId} and id = ${refundId} and status = 'requested'
      returning restock, origin`);
    if (!order || !ours) return;
    // Lock products before customers, in the same order as in checkout, to avoid deadlocks.
    if (ours.restock) await returnStock(tx, workspaceId, ours.origin, order.items);
    await recordRefunded(tx, workspaceId, ours.origin, order, refundedInAll);
  });
}

async function askGateway(
  db: Share,
  refunder: Refunder,
  workspaceId: string,
  refundId: string,
  { order_id, transaction_id, amount }: { order_id: string; transaction_id: string | null; amount: number },
): Promise<number> {
  // The refund stays recorded. Once the gateway has reported the payment id, the worker finishes it.
  if (transaction_id === null) throw new Error(`order ${order_id} has no recorded payment to refund`);
  try {
    return (await refunder.refund(transaction_id, refundId, amount)).refundedInAll;
  } catch (error) {
    // A rejection by the gateway is final. The gateway may, for example, have refunded already and not notified us yet.
    // If the refund stayed recorded, it would block every later one.
    if (error instanceof ApiError) await dropRefund(db, workspaceId, refundId);
    throw error;
  }
}

async function dropRefund(db: Share, workspaceId: string, refundId: string): Promise<void> {
  await db.autocommit.query(
    sql`delete from refunds where workspace_id = ${workspaceId} and id = ${refundId} and status = 'requested'`,
  );
}

/**
 * Completes recorded refunds that are unfinished, for example because a process was killed or the gateway failed. A
 * refund that fails is postponed.
 */
export async function finishRefunds(db: Database, clock: Clock, refunder: Refunder): Promise<void> {
  const unfinished = await db.background('refunds').query<{ workspace_id: string; id: string }>(sql`
    select workspace_id, id from refunds where status = 'requested' and ${isDue(clock)} order by created_at limit 200`);
  await forEachIsolated(unfinished, async ({ workspace_id, id }) => {
    const orders = ordersOf(db, workspace_id);
    try {
      await finishRefund(orders, refunder, workspace_id, id);
    } catch (error) {
      await orders.autocommit.query(
        sql`update refunds set ${postpone(clock)} where workspace_id = ${workspace_id} and id = ${id}`,
      );
      throw error;
    }
  });
}

function findByKey(
  tx: Tx,
  workspaceId: string,
  orderId: string,
  key: string | undefined,
): Promise<RefundRecord[]> {
  if (key === undefined) return Promise.resolve([]);
  return tx.query<RefundRecord>(sql`
    select id, amount, reason, created_at as "createdAt" from refunds
    where workspace_id = ${workspaceId} and order_id = ${orderId} and idempotency_key = ${key}`);
}
