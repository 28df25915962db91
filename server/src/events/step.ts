import { fixed, prepared, raw, type Statement, sql } from '../platform/db/sql.js';

/** The maximum number of outbox rows that one statement moves. */
export const STEP = 500;

export interface StepResult {
  moved: number;
  deliveries: number;
  /** Whether some events that this step found were not moved, for example because another sequencer is moving them. */
  left: boolean;
  /** Whether the current history has no epoch row yet; see epochs.ts. */
  epochMissing: boolean;
  /** Whether some stores with events in the outbox have no row in event_heads yet. */
  headsMissing: boolean;
}

/**
 * Moves committed events from the outbox to `events`, numbers them per store, and adds their webhook deliveries.
 *
 * For each record, the numbers follow the order of its changes. Two changes to one record are serialized by its row
 * lock, each takes its outbox position under that lock, and a snapshot that sees the later commit also sees the earlier
 * one. So the events with the lowest positions in a snapshot never include a change without the earlier changes to the
 * same record.
 *
 * Only one sequencer at a time numbers the events of a store: the one that has locked the store's row in event_heads. A
 * statement may have taken its snapshot before it got that lock, and another sequencer may have moved some of the rows
 * in the snapshot since then. take_from_outbox() skips those rows, and the remaining rows get higher numbers than the
 * skipped ones. No other row can have taken their place, because VACUUM keeps rows that a running statement sees.
 *
 * No step waits for a transaction that changes products or orders, because such transactions lock none of the rows that
 * a step locks.
 */
export const stepForAll = prepared(
  step(sql`next_in_outbox(${raw(String(STEP))})`, raw('for update of h skip locked')),
);

/**
 * The same step for one store, for a reader that must not miss committed events. If another sequencer has locked the
 * store's row, this step waits instead of skipping the store.
 */
export const stepForStore = fixed((workspaceId: string) =>
  step(sql`next_in_outbox(${raw(String(STEP))}, ${workspaceId})`, raw('for update of h')),
);

function step(next: Statement, lock: Statement): Statement {
  return sql`
    with epoch as materialized (select ordinal from event_epochs where identity = history_identity()),
    next as materialized (select * from ${next}),
    head as materialized (
      select h.* from event_heads h, epoch where h.workspace_id in (select workspace_id from next)
      order by h.workspace_id ${lock}
    ),
    taken as materialized (
      select * from take_from_outbox(array(select next.place from next join head on head.workspace_id = next.workspace_id))
    ),
    numbered as materialized (
      select t.*, h.last_sequence + count(t.event) over earlier as sequence,
        h.last_order_change + count(t.order_id) over earlier as change
      from taken t join head h on h.workspace_id = t.workspace_id
      window earlier as (partition by t.workspace_id order by t.position)
    ),
    advanced as (
      update event_heads h set last_sequence = n.sequence, last_order_change = n.change, epoch = epoch.ordinal
      from (select workspace_id, max(sequence) as sequence, max(change) as change from numbered group by workspace_id) n, epoch
      where h.workspace_id = n.workspace_id
    ),
    entered as (
      insert into event_epoch_entries (workspace_id, epoch, last_sequence, last_order_change)
      select h.workspace_id, epoch.ordinal, h.last_sequence, h.last_order_change from head h, epoch
      where h.epoch <> epoch.ordinal and h.workspace_id in (select workspace_id from numbered)
      on conflict do nothing
    ),
    kept as (
      insert into events (workspace_id, id, sequence, event, data, origin, created_at)
      select workspace_id, id, sequence, event, data, origin, created_at from numbered where event is not null
    ),
    changed as (
      insert into order_changes as c (workspace_id, order_id, change)
      select workspace_id, order_id, max(change) from numbered where order_id is not null group by workspace_id, order_id
      on conflict (workspace_id, order_id) do update set change = excluded.change
    ),
    owed as (
      insert into deliveries (workspace_id, id, webhook_id, event_id, event)
      select n.workspace_id, delivery_id(n.id, w.id), w.id, n.id, n.event
      from numbered n, lateral (
        select w.id from webhooks w
        where w.workspace_id = n.workspace_id and n.event = any(w.events) and w.after_position < n.position
          and not (w.exclude_own and n.origin = 'app:' || w.client_id)
          and (w.filter_fields is null or n.changed_fields is null or n.changed_fields && w.filter_fields)
          -- An app without an active grant gets no deliveries. A grant becomes active with its first tokens.
          and exists (select from oauth_grants g where g.workspace_id = w.workspace_id and g.client_id = w.client_id
                      and g.connected_at is not null and g.revoked_at is null)
        offset 0
      ) w
      order by n.position
      returning workspace_id, webhook_id
    ),
    queued as (
      insert into delivery_queues as q (workspace_id, webhook_id, next_at)
      select distinct workspace_id, webhook_id, timestamptz '-infinity' from owed order by workspace_id, webhook_id
      on conflict (workspace_id, webhook_id) do update set next_at = excluded.next_at, changes = q.changes + 1
    )
    select (select count(*) from numbered) as moved, (select count(*) from owed) as deliveries,
      (select count(*) from next) > (select count(*) from numbered) as "left",
      not exists (select from epoch) as "epochMissing",
      exists (select from next where not exists (select from event_heads h where h.workspace_id = next.workspace_id)) as "headsMissing"`;
}
