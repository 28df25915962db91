import { raw, rawJson, type Statement, sql } from '../db/sql.js';
import type { Reached } from './cursor.js';
import type { CountedList } from './kept-count.js';
import type { ListMemory } from './list-memory.js';
import { type PageRequest, REACH, type SortKey, sortOf } from './paging.js';

/** Where the records of a list come from. */
export interface Listing {
  workspaceId: string;
  /** The table or sub-select with its alias, such as "products p". */
  from: Statement;
  alias: string;
  /** The condition for the listed rows. It includes the store but not the search. */
  where: Statement;
  /** The JSON text of a row. */
  json: Statement;
  sorts: Record<string, SortKey>;
  /** True if one prepared plan is suitable for all values of the filters. */
  plannedOnce: boolean;
  /** Set if the database maintains the number of records of the list without filters. */
  kept?: KeptList;
  /**
   * For records that are expensive to serialize and may be large: if a page exceeds this total size, its last records
   * are omitted, and it is marked as oversized.
   */
  maxBytes?: number;
}

export interface KeptList {
  list: CountedList;
  memory: ListMemory;
  /**
   * Sort keys for which positions in the list are remembered. The order of the records must not change unless the
   * version of the list (kept-count.ts) changes.
   */
  stableSorts: readonly string[];
}

export interface Page {
  /** The records, separated by commas. */
  json: Buffer;
  /** The number of records found, one more than requested if there is a next page. */
  found: number;
  /** The last record of the page. */
  last: Reached | undefined;
  isOversized: boolean;
  /** Exact up to REACH; a higher value means only that there are more than REACH records. Undefined if not counted. */
  total: number | undefined;
}

/** The row that the statement of pageRow() returns. */
export interface PageRow {
  /** The records, including the one beyond the page, but without those that maxBytes excluded. */
  json: Buffer | string | null;
  /** The number of bytes of the record beyond the page, or null if there is none or maxBytes excluded it. */
  beyond: number | null;
  found: number;
  last_id: string | null;
  last_value: string | number;
  /** The number of records that maxBytes excluded. The record beyond the page may be one of them. */
  unwritten: number;
}

/** The LIMIT of counting statements. Counting one more than REACH shows whether a total exceeds REACH. */
export const COUNTED = raw(`limit ${REACH + 1}`);

/**
 * Combines the rows of `page`, which must have the columns `json`, `id` and `sort_value`, into one row. PostgreSQL
 * sends one large row at once but 50 small ones in pieces of 8 kB. Reading 50 records as one row takes this process
 * half the time.
 *
 * pageIn() removes the record beyond the page. Doing that in SQL, by numbering the rows and filtering each aggregate,
 * took PostgreSQL 5% longer.
 */
export function pageRow(
  { limit }: PageRequest<unknown>,
  page: Statement,
  additional: Statement = raw(''),
): Statement {
  const last = raw(`[least(count(*), ${limit})]`);
  return sql`
    select ${rawJson(raw(`string_agg(json, ',')`), 'json')}, count(*)::integer as found,
      (array_agg(octet_length(json)))[${raw(String(limit + 1))}] as beyond,
      (count(*) - count(json))::integer as unwritten,
      (array_agg(id))${last} as last_id, (array_agg(sort_value))${last} as last_value
      ${additional}
    from (${page}) page`;
}

export function pageIn({ limit }: PageRequest<unknown>, row: PageRow, total: number | undefined): Page {
  const { found, beyond, last_id, last_value, unwritten } = row;
  // The pg driver returns text. It is converted, because `beyond` is a number of bytes.
  const json = typeof row.json === 'string' ? Buffer.from(row.json) : (row.json ?? Buffer.alloc(0));
  return {
    json: beyond === null ? json : json.subarray(0, json.length - ','.length - beyond),
    found,
    last: last_id === null ? undefined : { value: last_value, id: last_id },
    isOversized: unwritten > (found > limit ? 1 : 0),
    total,
  };
}

/** Selects the records of the list that meet the condition `position`, at most one more than requested. */
export function recordsFrom(request: PageRequest<unknown>, listing: Listing, position: Statement): Statement {
  const { from, alias, where, json, maxBytes } = listing;
  // The limit is a literal. With a parameter, the generic plan would assume a limit of a tenth of the rows.
  const order = sql`${inOrder(request, listing)} ${raw(`limit ${request.limit + 1}`)}`;
  if (maxBytes === undefined)
    return sql`
      select ${json} as json, ${raw(alias)}.id, ${sortColumn(request, listing)} as sort_value
      from ${from} where ${where} ${position} ${order}`;
  const keys = sql`select ${keyColumns(request, listing)} from ${from} where ${where} ${position} ${order}`;
  return recordsOf(keys, request, listing);
}

/** Selects the records whose ids `hits` selects, in the requested order. */
export function recordsOf(hits: Statement, request: PageRequest<unknown>, listing: Listing): Statement {
  const { from, alias, workspaceId, json, maxBytes } = listing;
  const records = sql`
    select ${json} as json, ${raw(alias)}.id, ${sortColumn(request, listing)} as sort_value from (${hits}) hit
    join ${from} on ${raw(alias)}.workspace_id = ${workspaceId} and ${raw(alias)}.id = hit.id
    ${inOrder(request, listing)}`;
  if (maxBytes === undefined) return records;
  const isWithin = raw(`sum(octet_length(json)) over (rows unbounded preceding) <= ${maxBytes}`);
  return sql`select case when ${isWithin} then json end as json, id, sort_value from (${records}) record`;
}

/** The columns that sorting needs. A statement that reads no others can use an index-only scan. */
export function keyColumns(request: PageRequest<unknown>, listing: Listing): Statement {
  return sql`${raw(listing.alias)}.id, ${sortColumn(request, listing)}`;
}

export function inOrder(request: PageRequest<unknown>, listing: Listing): Statement {
  const direction = sortOf(listing.sorts, request.sort).descends ? 'desc' : 'asc';
  return sql`order by ${sortColumn(request, listing)} ${raw(direction)}, ${raw(`${listing.alias}.id ${direction}`)}`;
}

export function sortColumn({ sort }: PageRequest<unknown>, { alias, sorts }: Listing): Statement {
  return raw(`${alias}.${sortOf(sorts, sort).key.column}`);
}
