import type { Queryable } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import type { Attention } from './apply-notification.js';

const LIMIT = 100;

/** A gateway notification that needs manual review and that the merchant has not marked as checked yet. */
export interface PaymentToCheck {
  id: string;
  attention: Attention;
  receivedAt: string;
  transactionId: string;
  amount: number;
  refundedInAll: number;
  orderNumber: number | null;
  orderTotal: number | null;
}

/** Returns at most 100 notifications, newest first. */
export async function listPaymentsToCheck(db: Queryable, workspaceId: string): Promise<PaymentToCheck[]> {
  return db.query<PaymentToCheck>(sql`
    select n.id, n.attention, n.received_at as "receivedAt", n.transaction_id as "transactionId", n.amount,
      n.refunded_in_all as "refundedInAll", o.number as "orderNumber", o.total as "orderTotal"
    from payment_notifications n
    left join orders o on o.workspace_id = n.workspace_id and o.id = n.order_id
    where n.workspace_id = ${workspaceId} and n.attention is not null and n.checked_at is null
    order by n.received_at desc, n.id limit ${LIMIT}`);
}

/** Marks a notification as checked. Doing so again changes nothing. */
export async function markPaymentChecked(db: Queryable, workspaceId: string, id: string): Promise<void> {
  await db.query(sql`
    update payment_notifications set checked_at = now()
    where workspace_id = ${workspaceId} and id = ${id} and attention is not null and checked_at is null`);
}
