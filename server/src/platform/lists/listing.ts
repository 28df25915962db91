import type { Queryable } from '../db/share.js';
import { prepared, raw, type Statement, sql } from '../db/sql.js';
import { type PageRequest, pageClauses, REACH, type SortKey, sortOf } from './paging.js';

/** What is listed. */
export interface Listing {
  /** A table under an alias, and what must hold of its rows besides the search; it names the store. */
  from: Statement;
  alias: string;
  where: Statement;
  columns: Statement;
  sorts: Record<string, SortKey>;
  /** One plan is as good as another for whatever the filters may be. */
  plannedOnce: boolean;
}

export type Listed<R> = R & { id: string; sort_value: string | number };

export interface Page<R> {
  rows: Listed<R>[];
  /** Up to one beyond REACH; undefined when the list was asked for by cursor. */
  total: number | undefined;
}

/** Nobody counts further. */
export const COUNTED = raw(`limit ${REACH + 1}`);

/** One row more than asked for, if there is one, and how many there are in all. */
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
  const rows = await db.query<Listed<R> & { total_listed: number }>(
    plan(
      sql`select ${columns}, ${sortValue(request, listing)}, ${total} as total_listed from ${from} where ${where} ${beyond} ${order}`,
    ),
  );
  if (request.page === undefined) return { rows, total: undefined };
  if (rows.length > 0 || request.page === 1) return { rows, total: rows[0]?.total_listed ?? 0 };
  // A page beyond the end has no row to carry the total.
  const [counted] = await db.query<{ total: number }>(plan(count));
  return { rows, total: counted?.total };
}

export function sortColumn({ sort }: PageRequest<unknown>, { alias, sorts }: Listing): Statement {
  return raw(`${alias}.${sortOf(sorts, sort).key.column}`);
}

export function sortValue(request: PageRequest<unknown>, listing: Listing): Statement {
  return sql`${sortColumn(request, listing)} as sort_value`;
}
