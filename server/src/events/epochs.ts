import { randomBytes } from 'node:crypto';
import type { Queryable, StoreAccess } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { ApiError } from '../platform/http/errors.js';

/**
 * Each store has two counters, one for events and one for order changes. This is the name of the counter from which the
 * number in a cursor was taken.
 */
export type Numbers = 'last_sequence' | 'last_order_change';

/** A position in the history of a store, as stored in cursors. */
export interface HistoryPosition {
  epoch: string;
  number: number;
}

const PLACE = /^([0-9a-f]{16})\.(\d{1,15})$/;

export function formatPosition({ epoch, number }: HistoryPosition): string {
  return `${epoch}.${number}`;
}

export function parsePosition(text: string): HistoryPosition | undefined {
  const match = PLACE.exec(text);
  return match ? { epoch: match[1]!, number: Number(match[2]) } : undefined;
}

/**
 * Starts a new epoch: a period in which no number was lost. This is needed whenever the history may have been rewound,
 * for example by a restore. If several processes notice this at the same time, only one row is added.
 */
export async function beginEpoch(db: StoreAccess): Promise<void> {
  await db.autocommit.query(sql`
    insert into event_epochs (id, identity) values (${randomBytes(8).toString('hex')}, history_identity())
    on conflict (identity) do nothing`);
}

export interface Head {
  epoch: string;
  last_sequence: number;
  last_order_change: number;
  /** Whether some committed events of the store are not numbered yet. */
  waiting: boolean;
}

/** Reads the current epoch and the last numbers of the store. Begins an epoch if the current history has none. */
export async function readHead(db: StoreAccess, workspaceId: string): Promise<Head> {
  let reader: Queryable = db;
  for (;;) {
    const [head] = await reader.query<Head>(sql`
      select e.id as epoch, coalesce(h.last_sequence, 0) as last_sequence, coalesce(h.last_order_change, 0) as last_order_change,
        exists (select from outbox where workspace_id = ${workspaceId}) as waiting
      from event_epochs e left join event_heads h on h.workspace_id = ${workspaceId} where e.identity = history_identity()`);
    if (head) return head;
    await beginEpoch(db);
    // In a request with an Idempotency-Key, `autocommit` is the open transaction of the request. Only that transaction
    // sees the epoch that it has added; `query` uses another connection.
    reader = db.autocommit;
  }
}

/**
 * Rejects a cursor position that the history does not contain: one with an unknown epoch, one ahead of the last number,
 * or one that was lost when the history was rewound to an earlier position.
 */
export async function rejectLostPosition(
  db: Queryable,
  workspaceId: string,
  numbers: Numbers,
  position: HistoryPosition,
  head: Head,
): Promise<void> {
  if (position.number > head[numbers]) throw cursorExpired();
  if (position.epoch === head.epoch) return;
  const [epoch] = await db.query<{ left: Record<Numbers, number> | null }>(sql`
    select (
      select jsonb_build_object('last_sequence', n.last_sequence, 'last_order_change', n.last_order_change)
      from event_epoch_entries n where n.workspace_id = ${workspaceId} and n.epoch > e.ordinal order by n.epoch limit 1
    ) as left from event_epochs e where e.id = ${position.epoch}`);
  if (!epoch || position.number > (epoch.left?.[numbers] ?? head[numbers])) throw cursorExpired();
}

export function cursorExpired(): ApiError {
  return new ApiError(
    410,
    'cursor_expired',
    'This cursor is older than 30 days or refers to changes that were lost when a backup was restored. Read the current state, then start again without a cursor.',
  );
}
