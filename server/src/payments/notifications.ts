import { ordersOf } from '../orders/storage.js';
import type { Clock } from '../platform/clock.js';
import type { Signer } from '../platform/crypto/signer.js';
import type { Database } from '../platform/db/database.js';
import { ApiError, badRequest } from '../platform/http/errors.js';
import { isId } from '../platform/schema/ids.js';
import { MAX_MONEY } from '../platform/schema/money.js';
import { type Attention, applyNotification } from './apply-notification.js';
import type { Notification } from './gateway.js';

const TOLERANCE_MS = 5 * 60 * 1000;
const TYPES = ['paid', 'canceled', 'refunded'];

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
 * Receives a notification from a gateway. The signature covers the time, and old notifications are rejected. A
 * repeated notification gets the same response and changes nothing. Returns the notification and, if it is new and the
 * payment needs manual review, the reason for the review.
 */
export async function receiveNotification(
  db: Database,
  clock: Clock,
  signer: Signer,
  signed: SignedNotification,
): Promise<{ notification: Notification; attention: Attention | undefined }> {
  if (!signer.verify('payment', signed.signature, signed.timestamp, signed.body))
    throw new ApiError(401, 'invalid_signature', 'The signature does not match the notification');
  const age = Math.abs(clock.now() - Number(signed.timestamp));
  if (!(age <= TOLERANCE_MS))
    throw new ApiError(
      401,
      'stale_notification',
      'The time of the notification differs from the clock of the server by more than five minutes',
    );
  const notification = readNotification(signed.body);
  const attention = await ordersOf(db, notification.workspaceId).transaction((tx) =>
    applyNotification(tx, clock, notification),
  );
  return { notification, attention };
}

/** Even a notification with a valid signature may be malformed. It is then rejected with 400. */
function readNotification(body: string): Notification {
  let given: Partial<Record<keyof Notification, unknown>> | null;
  try {
    given = JSON.parse(body);
  } catch {
    throw badRequest('The notification is not JSON');
  }
  const { id, type, workspaceId, orderId, transactionId, amount, refundedInAll } = given ?? {};
  const isText = (value: unknown): value is string =>
    typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value);
  const isSum = (value: unknown) =>
    Number.isFinite(value) && (value as number) >= 0 && (value as number) <= MAX_MONEY;
  if (!isText(workspaceId) || !isText(orderId) || !isId(workspaceId) || !isId(orderId))
    throw badRequest('The id of the store or of the order is missing or invalid');
  if (!isText(transactionId)) throw badRequest('The transaction id is missing or invalid');
  if (!isText(id) || !isText(type) || !TYPES.includes(type) || !isSum(amount) || !isSum(refundedInAll))
    throw badRequest('The id, type or amounts of the notification are missing or invalid');
  return given as Notification;
}
