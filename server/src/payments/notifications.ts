import { ordersOf } from '../orders/storage.js';
import type { Clock } from '../platform/clock.js';
import { StoreBatcher } from '../platform/concurrency/store-batcher.js';
import type { Signer } from '../platform/crypto/signer.js';
import type { Database } from '../platform/db/database.js';
import { isLockConflict, isTemporary } from '../platform/db/unavailable.js';
import { ApiError, badRequest } from '../platform/http/errors.js';
import { isId } from '../platform/schema/ids.js';
import { MAX_MONEY } from '../platform/schema/money.js';
import { type Attention, applyNotification } from './apply-notification.js';
import { applyPayments } from './apply-payments.js';
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
 * Receives the notifications of a gateway. The signature covers the time, and old notifications are rejected. A repeated
 * notification gets the same response and changes nothing. Payments that are reported for the same store at the same
 * time are applied in one transaction, all other notifications each in a transaction of its own.
 */
export class Notifications {
  private readonly batches = new StoreBatcher(16, (workspaceId, notifications: Notification[]) =>
    this.applyAll(workspaceId, notifications),
  );

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly signer: Signer,
  ) {}

  /** Returns the notification and, if it is new and the payment needs manual review, the reason for the review. */
  async receive(
    signed: SignedNotification,
  ): Promise<{ notification: Notification; attention: Attention | undefined }> {
    if (!this.signer.verify('payment', signed.signature, signed.timestamp, signed.body))
      throw new ApiError(401, 'invalid_signature', 'The signature does not match the notification');
    const age = Math.abs(this.clock.now() - Number(signed.timestamp));
    if (!(age <= TOLERANCE_MS))
      throw new ApiError(
        401,
        'stale_notification',
        'The time of the notification differs from the clock of the server by more than five minutes',
      );
    const notification = readNotification(signed.body);
    const attention = await this.batches.submit(notification.workspaceId, notification);
    return { notification, attention };
  }

  private async applyAll(
    workspaceId: string,
    notifications: Notification[],
  ): Promise<(Attention | undefined | Promise<Attention | undefined>)[]> {
    const applied = await this.tryToApply(workspaceId, distinct(notifications));
    return notifications.map((notification) =>
      applied.has(notification) ? undefined : this.applyAlone(notification),
    );
  }

  /**
   * Returns an empty set if a statement failed, because an error that one notification causes must not affect the
   * others. Throws if the database is unreachable or overloaded, because that affects all of them.
   */
  private async tryToApply(workspaceId: string, notifications: Notification[]): Promise<Set<Notification>> {
    try {
      return await ordersOf(this.db, workspaceId).transaction((tx) =>
        applyPayments(tx, this.clock, workspaceId, notifications),
      );
    } catch (error) {
      if (isTemporary(error) && !isLockConflict(error)) throw error;
      return new Set();
    }
  }

  private applyAlone(notification: Notification): Promise<Attention | undefined> {
    return ordersOf(this.db, notification.workspaceId).transaction((tx) =>
      applyNotification(tx, this.clock, notification),
    );
  }
}

/** Returns the notifications whose id and order differ from those of all earlier ones. */
function distinct(notifications: Notification[]): Notification[] {
  return notifications.filter(
    ({ id, orderId }, index) =>
      notifications.findIndex((each) => each.id === id || each.orderId === orderId) === index,
  );
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
