import { ordersOf } from '../orders/storage.js';
import type { Clock } from '../platform/clock.js';
import { StoreBatcher } from '../platform/concurrency/store-batcher.js';
import type { Signer } from '../platform/crypto/signer.js';
import type { Database } from '../platform/db/database.js';
import { isTemporary } from '../platform/db/unavailable.js';
import { ApiError, badRequest } from '../platform/http/errors.js';
import { isId } from '../platform/schema/ids.js';
import { MAX_MONEY } from '../platform/schema/money.js';
import { type Attention, applyNotifications } from './apply-notification.js';
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
 * notification gets the same response and changes nothing. Notifications that arrive for the same store at the same
 * time are applied in one transaction.
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
    const together = notifications.filter(
      ({ orderId }, index) => notifications.findIndex((each) => each.orderId === orderId) === index,
    );
    const applied = await this.tryToApply(workspaceId, together);
    return notifications.map((notification) =>
      applied.has(notification) ? applied.get(notification) : this.applyAlone(workspaceId, notification),
    );
  }

  /**
   * Returns no results if a statement failed, because an error that one notification causes must not affect the others.
   * A temporary error, such as a timeout, affects all of them.
   */
  private async tryToApply(
    workspaceId: string,
    notifications: Notification[],
  ): Promise<Map<Notification, Attention | undefined>> {
    try {
      const attentions = await this.apply(workspaceId, notifications);
      return new Map(notifications.map((notification, index) => [notification, attentions[index]]));
    } catch (error) {
      if (isTemporary(error)) throw error;
      return new Map();
    }
  }

  private async applyAlone(workspaceId: string, notification: Notification): Promise<Attention | undefined> {
    const [attention] = await this.apply(workspaceId, [notification]);
    return attention;
  }

  private apply(workspaceId: string, notifications: Notification[]): Promise<(Attention | undefined)[]> {
    return ordersOf(this.db, workspaceId).transaction((tx) =>
      applyNotifications(tx, this.clock, workspaceId, notifications),
    );
  }
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
