import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import type { ChangedField } from './changed-fields.js';
import type { EventName, Origin } from './names.js';

interface OtherEvent {
  event: Exclude<EventName, 'product.updated'>;
  data: Record<string, unknown>;
}

interface ProductUpdated {
  event: 'product.updated';
  data: Record<string, unknown>;
  /** Compared with the filters of subscriptions. It is not part of the delivery. */
  changed: ChangedField[];
}

export type NewEvent = OtherEvent | ProductUpdated;

/**
 * Writes events in the transaction of the change, so that neither exists without the other. Some statements do not need
 * this function, because they insert into `outbox` themselves.
 *
 * Call this after the changed rows are locked, because it assigns the positions of the events in the outbox. Two
 * changes to one resource get their positions in the right order only because each takes its position while it holds
 * the row lock.
 */
export async function emit(tx: Tx, workspaceId: string, origin: Origin, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query(sql`
    insert into outbox (workspace_id, event, data, origin, changed_fields)
    select ${workspaceId}, e.event, e.data, ${origin}, e.changed
    from jsonb_array_elements(${JSON.stringify(events)}::jsonb) with ordinality as list(element, n),
      jsonb_to_record(list.element) as e(event text, data jsonb, changed text[])
    order by list.n`);
}
