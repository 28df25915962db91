import {
  cancelOrder,
  lockMoney,
  type Money,
  markPaid,
  noteRefunded,
  noteTransaction,
} from '../orders/life.js';
import { requestRefund } from '../orders/refund.js';
import { ordersOf } from '../orders/storage.js';
import type { Clock } from '../platform/clock.js';
import type { Signer } from '../platform/crypto/signer.js';
import type { Database } from '../platform/db/database.js';
import { deleteInBatches } from '../platform/db/delete-in-batches.js';
import type { Share, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { ApiError, badRequest } from '../platform/http/errors.js';
import { isId } from '../platform/schema/ids.js';
import type { Notification } from './gateway.js';

const TOLERANCE_MS = 5 * 60 * 1000;
const TYPES = ['paid', 'canceled', 'refunded'];
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

export interface SignedNotification {
  body: string;
  timestamp: string;
  signature: string;
}

export function signNotification(
  signer: Signer,
  notification: Notification,
  now: number,
): SignedNotification {
  const body = JSON.stringify(notification);
  const timestamp = String(now);
  return { body, timestamp, signature: signer.sign('payment', timestamp, body) };
}

/**
 * Hears a gateway. The signature covers the time, an old one is refused, and each notification counts once: sent again
 * it is answered like the first time and changes nothing.
 */
export async function receiveNotification(
  db: Database,
  clock: Clock,
  signer: Signer,
  signed: SignedNotification,
): Promise<void> {
  if (!signer.verify('payment', signed.signature, signed.timestamp, signed.body))
    throw new ApiError(401, 'invalid_signature', 'The signature does not match the notification');
  const age = Math.abs(clock.now() - Number(signed.timestamp));
  if (!(age <= TOLERANCE_MS))
    throw new ApiError(401, 'stale_notification', 'The notification is too old or from the future');
  const notification = readNotification(signed.body);
  await ordersOf(db, notification.workspaceId).transaction((tx) => hear(tx, clock, notification));
}

export async function purgeNotifications(db: Share, clock: Clock): Promise<void> {
  const before = new Date(clock.now() - REMEMBERED_MS).toISOString();
  await deleteInBatches(db, 'payment_notifications', sql`received_at < ${before}`);
}

/** Signed is not the same as right: what a gateway sends by mistake is refused, not stumbled over. */
function readNotification(body: string): Notification {
  let given: Partial<Record<keyof Notification, unknown>> | null;
  try {
    given = JSON.parse(body);
  } catch {
    throw badRequest('The notification is not JSON');
  }
  const { id, type, workspaceId, orderId, transactionId, refundedInAll } = given ?? {};
  const isText = (value: unknown): value is string =>
    typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value);
  if (!isText(workspaceId) || !isText(orderId) || !isId(workspaceId) || !isId(orderId))
    throw badRequest('The notification names no order');
  if (!isText(transactionId)) throw badRequest('The notification names no payment');
  if (!isText(id) || !isText(type) || !TYPES.includes(type) || !Number.isFinite(refundedInAll))
    throw badRequest('The notification does not say what happened');
  return given as Notification;
}

async function hear(tx: Tx, clock: Clock, notification: Notification): Promise<void> {
  const { id, type, workspaceId, orderId, refundedInAll } = notification;
  const first = await tx.query(
    sql`insert into payment_notifications (id) values (${id}) on conflict do nothing returning 1`,
  );
  if (first.length === 0) return;
  const order = await lockMoney(tx, workspaceId, orderId);
  if (!order) return;
  if (type === 'canceled') await cancelOrder(tx, workspaceId, order, 'gateway');
  if (type === 'refunded') await noteRefunded(tx, workspaceId, 'gateway', order, refundedInAll);
  if (type === 'paid') await hearPaid(tx, clock, order, notification);
}

async function hearPaid(
  tx: Tx,
  clock: Clock,
  order: Money,
  { workspaceId, orderId, transactionId }: Notification,
): Promise<void> {
  if (order.status !== 'pending' && order.status !== 'canceled') return;
  // Whoever opened the payment may have died before it was written down, and money goes back by this name alone.
  await noteTransaction(tx, workspaceId, orderId, transactionId);
  const taken = await markPaid(tx, clock, workspaceId, order);
  // Money for an order that was given up goes back by itself; the order stays canceled.
  if (!taken) {
    await requestRefund(tx, workspaceId, orderId, {
      amount: order.total,
      reason: 'paid after the order was canceled',
      restock: false,
      origin: 'system',
    });
  }
}
