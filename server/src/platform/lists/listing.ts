import type { Queryable } from '../db/share.js';
import { prepared, raw, type Statement, sql } from '../db/sql.js';
import { type PageRequest, pageClauses, REACH, type SortKey, sortOf } from './paging.js';

/** The source of a list. */
export interface Listing {
  workspaceId: string;
  /** A table with an alias, and the condition for its rows besides the search. The condition names the store. */
  from: Statement;
  alias: string;
  where: Statement;
  columns: Statement;
  sorts: Record<string, SortKey>;
  /** Set when one prepared plan is suitable for all combinations of filters. */
  plannedOnce: boolean;
  /**
   * For records that are expensive to write and may be large: they are written for the rows of the page only, not for
   * the rows that an offset skips, and those beyond this total size have null in place of their JSON. `columns` must be
   * `json` and `id`.
   */
  maxBytes?: number;
}

export type Listed<R> = R & { id: string; sort_value: string | number };

export interface Page<R> {
  rows: Listed<R>[];
  /** Counted up to one above REACH. Undefined when the list was requested with a cursor. */
  total: number | undefined;
}

/** Limits every count. */
export const COUNTED = raw(`limit ${REACH + 1}`);

/** Returns one row more than requested, if there is one, and the total. */
export async function plainPage<R>(
  db: Queryable,
  request: PageRequest<unknown>,
  listing: Listing,
): Promise<Page<R>> {
  const plan = listing.plannedOnce ? prepared : (statement: Statement) => statement;
  const { where: beyond, order } = pageClauses(request, listing.sorts, listing.alias);
  const { from, where, columns } = listing;
  const count = sql`select count(*) as total from (select from ${from} where ${where} ${COUNTED}) counted`;
  const total = request.page === undefined ? raw('null') : sql`(${count})`;
  const page =
    listing.maxBytes === undefined
      ? sql`select ${columns}, ${sortValue(request, listing)}, ${total} as total_listed from ${from} where ${where} ${beyond} ${order}`
      : sql`select page.*, ${total} as total_listed from (${recordsOf(
          sql`select ${keyColumns(request, listing)} from ${from} where ${where} ${beyond} ${order}`,
          request,
          listing,
        )}) page`;
  const rows = await db.query<Listed<R> & { total_listed: number }>(plan(page));
  if (request.page === undefined) return { rows, total: undefined };
  if (rows.length > 0 || request.page === 1) return { rows, total: rows[0]?.total_listed ?? 0 };
  // A page beyond the end has no row that could carry the total.
  const [counted] = await db.query<{ total: number }>(plan(count));
  return { rows, total: counted?.total };
}

/** The records of the rows that `hits` selects by their keys, in the order of the list. */
export function recordsOf(hits: Statement, request: PageRequest<unknown>, listing: Listing): Statement {
  const { from, alias, workspaceId, columns, maxBytes } = listing;
  const records = sql`
    select ${columns}, ${sortValue(request, listing)}, ${sortColumn(request, listing)} as sorted_by from (${hits}) hit
    join ${from} on ${raw(alias)}.workspace_id = ${workspaceId} and ${raw(alias)}.id = hit.id
    ${inOrder(request, listing)}`;
  if (maxBytes === undefined) return records;
  const isWithin = raw(`sum(octet_length(json)) over (rows unbounded preceding) <= ${maxBytes}`);
  return sql`select id, case when ${isWithin} then json end as json, sort_value, sorted_by from (${records}) record`;
}

/** The columns needed for sorting, so that an index-only scan is possible. */
export function keyColumns(request: PageRequest<unknown>, listing: Listing): Statement {
  return sql`${raw(listing.alias)}.id, ${sortColumn(request, listing)}`;
}

export function inOrder(request: PageRequest<unknown>, listing: Listing): Statement {
  const direction = sortOf(listing.sorts, request.sort).descends ? 'desc' : 'asc';
  return sql`order by ${sortColumn(request, listing)} ${raw(direction)}, ${raw(`${listing.alias}.id ${direction}`)}`;
}

function sortColumn({ sort }: PageRequest<unknown>, { alias, sorts }: Listing): Statement {
  return raw(`${alias}.${sortOf(sorts, sort).key.column}`);
}

function sortValue(request: PageRequest<unknown>, listing: Listing): Statement {
  return sql`${sortColumn(request, listing)} as sort_value`;
}
