import type { Queryable } from '../platform/db/share.js';
import { arrayOf, fixed, raw, type Statement, sql } from '../platform/db/sql.js';

/**
 * With the version, the server need not read a page of a list again if the store has not changed. If more events than
 * this are not numbered yet, counting them is not cheaper than reading the page.
 */
const MAX_WAITING = 100;

/**
 * Selects the version of a store, where `workspaceId` is a column of the surrounding statement. The version is null
 * while many events are not numbered yet.
 *
 * Every change to products, variations, images and orders is committed together with at least one row in `outbox`. For
 * each row that it moves out of the outbox, the sequencer increases either last_sequence or last_order_change of the
 * store by one. The sum of these two numbers and the number of the store's rows in the outbox therefore increases with
 * every committed change, whichever process made it.
 */
export function storeVersion(workspaceId: Statement): Statement {
  return sql`
    select case when pending.waiting <= ${raw(String(MAX_WAITING))} then
      (coalesce(h.last_sequence + h.last_order_change, 0) + pending.waiting) || ' ' || history_identity() end
    from (
      select count(*) as waiting from next_in_outbox(${raw(String(MAX_WAITING + 1))}, ${workspaceId})
    ) pending
    left join event_heads h on h.workspace_id = ${workspaceId}`;
}

/**
 * Selects the position of a store: a text that is equal on two servers only if both have the same changes to the store.
 * It is null while many events are not numbered yet.
 *
 * A count, as in storeVersion, does not suffice: of two transactions that commit at the same time, the primary may show
 * one first and a replica the other. Events that are not numbered yet are therefore compared by their ids. For numbered
 * events it is enough to compare the last numbers, because a server that has a number also has all lower ones. After a
 * failover that lost a part of the history, the same numbers may be assigned again, but in a different epoch.
 */
function storePosition(workspaceId: Statement): Statement {
  return sql`
    select case when pending.waiting <= ${raw(String(MAX_WAITING))} then
      concat_ws(' ', h.epoch, e.id, h.last_sequence, h.last_order_change, pending.ids) end
    from (
      select count(*) as waiting, string_agg(o.id::text, ' ' order by o.position) as ids from outbox o
      where o.ctid = any(array(select place from next_in_outbox(${raw(String(MAX_WAITING + 1))}, ${workspaceId})))
    ) pending
    left join event_heads h on h.workspace_id = ${workspaceId}
    left join event_epochs e on e.ordinal = h.epoch`;
}

/** Reads the versions of several stores in one statement. */
export const readVersions = readerOf(storeVersion);
/** Reads the positions of several stores in one statement. */
export const readPositions = readerOf(storePosition);

function readerOf(columnFor: (workspaceId: Statement) => Statement) {
  const values = fixed(
    (stores: string) => sql`
      select asked.id, (${columnFor(raw('asked.id'))}) as value from unnest((select ${stores}::uuid[])) as asked(id)`,
  );
  return async (db: Queryable, stores: string[]): Promise<(string | undefined)[]> => {
    const rows = await db.query<{ id: string; value: string | null }>(values(arrayOf([...new Set(stores)])));
    const found = new Map(rows.map(({ id, value }) => [id, value ?? undefined]));
    return stores.map((id) => found.get(id));
  };
}
