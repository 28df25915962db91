import { raw, type Statement, sql } from '../db/sql.js';

/** Lists of which the database keeps the number of records. Each is a table. */
export type CountedList = 'products' | 'variations' | 'orders' | 'customers';
/** Texts whose changes the database counts, by their table. */
export type VersionedTerms = 'product_search' | 'order_search' | 'customers';

/** The columns `total`, null until the list was counted once, and `version`, in the snapshot of the statement. */
export function keptCount(workspaceId: string, list: CountedList): Statement {
  return sql`
    select case when bool_or(is_base) then sum(records)::bigint end as total, ${VERSION} as version
    from list_counts where workspace_id = ${workspaceId} and list = ${raw(`'${list}'`)}`;
}

/** The column `version`, which is another one after each change of the terms of the store. */
export function termsVersion(workspaceId: string, terms: VersionedTerms): Statement {
  return sql`
    select ${VERSION} as version from list_counts
    where workspace_id = ${workspaceId} and list = ${raw(`'${terms}'`)}`;
}

// A later snapshot includes all changes of an earlier one, so an equal sum means that nothing has changed. After a restore
// or failover that does not hold, but the identity of the history is another one then.
const VERSION = raw(`coalesce(sum(changes), 0) || ' ' || history_identity()`);

/**
 * Counts all records of a list. Differences that the same snapshot shows are part of the count and therefore subtracted;
 * transactions that commit later add their own.
 */
export function countBase(workspaceId: string, list: CountedList): Statement {
  return sql`
    insert into list_counts (workspace_id, list, is_base, records, changes)
    select ${workspaceId}::uuid, ${raw(`'${list}'`)}, true,
      (select count(*) from ${raw(list)} where workspace_id = ${workspaceId}) - coalesce(sum(records), 0), 0
    from list_counts where workspace_id = ${workspaceId} and list = ${raw(`'${list}'`)}
    on conflict do nothing`;
}
