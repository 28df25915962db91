import type { Tx } from './db.js';
import { sql } from './sql.js';

export const EVENT_NAMES = [
  'product.created',
  'product.updated',
  'product.deleted',
  'stock.updated',
  'order.created',
  'order.paid',
  'order.shipped',
  'order.refunded',
] as const;

export type EventName = (typeof EVENT_NAMES)[number];

export interface NewEvent {
  event: EventName;
  data: Record<string, unknown>;
}

/**
 * Writes what happened beside the change itself: same transaction, so neither exists without the other. A write that is
 * a single statement inserts its event there instead; both ways end in this one table.
 */
export async function emit(tx: Tx, workspaceId: string, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query(sql`
    insert into events (workspace_id, event, data)
    select ${workspaceId}, e.event, e.data
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as e(event text, data jsonb)`);
}
