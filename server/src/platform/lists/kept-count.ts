import { raw, type Statement, sql } from '../db/sql.js';

/** The tables for which the database maintains the number of records per store. */
export type CountedList = 'products' | 'variations' | 'orders' | 'customers';
/** The tables with search terms. The database counts the changes to these terms per store. */
export type VersionedTerms = 'product_search' | 'order_search' | 'customers';

/**
 * Selects `total`, the number of records, and `version`, which changes whenever records are added or removed and, in
 * the list of customers, also when they are updated. `total` is null until the list has been counted once.
 */
export function keptCount(workspaceId: string, list: CountedList): Statement {
  return sql`
    select case when bool_or(is_base) then sum(records)::bigint end as total, ${VERSION} as version
    from list_counts where workspace_id = ${workspaceId} and list = ${raw(`'${list}'`)}`;
}

/** Selects the column `version`, which differs after each change to the search terms of the store. */
export function termsVersion(workspaceId: string, terms: VersionedTerms): Statement {
  return sql`
    select ${VERSION} as version from list_counts
    where workspace_id = ${workspaceId} and list = ${raw(`'${terms}'`)}`;
}

// A later snapshot includes all changes in an earlier one, so an equal sum means that nothing has changed. This does
// not hold after a restore or failover, but then history_identity() differs.
const VERSION = raw(`coalesce(sum(changes), 0) || ' ' || history_identity()`);

/** Returns the number of changed rows between two versions, or Infinity if that is unknown. */
export function changesBetween(earlier: string, later: string): number {
  const [before, identity] = partsOf(earlier);
  const [after, laterIdentity] = partsOf(later);
  return identity === laterIdentity && after >= before ? after - before : Number.POSITIVE_INFINITY;
}

function partsOf(version: string): [number, string] {
  const end = version.indexOf(' ');
  return [Number(version.slice(0, end)), version.slice(end)];
}

/**
 * Counts all records of a list and stores the number in list_counts. That table already contains how many records
 * earlier transactions have added or removed, so the sum of these numbers is subtracted. Transactions that commit later
 * add their own numbers.
 */
export function countBase(workspaceId: string, list: CountedList): Statement {
  return sql`
    insert into list_counts (workspace_id, list, is_base, records, changes)
    select ${workspaceId}::uuid, ${raw(`'${list}'`)}, true,
      (select count(*) from ${raw(list)} where workspace_id = ${workspaceId}) - coalesce(sum(records), 0), 0
    from list_counts where workspace_id = ${workspaceId} and list = ${raw(`'${list}'`)}
    on conflict do nothing`;
}
