import type { Queryable } from '../db/share.js';
import { prepared, raw, type Statement, sql } from '../db/sql.js';
import {
  COUNTED,
  inOrder,
  keyColumns,
  type Listed,
  type Listing,
  type Page,
  plainPage,
  recordsOf,
} from './listing.js';
import { type PageRequest, pageClauses, REACH, sortOf } from './paging.js';
import { isPrefixSearch, lettersIn, type Matching, matches, matchesByTrigrams } from './search-matching.js';

export interface SearchableListing extends Listing, Matching {
  /** The table with the searchable texts, one row for each listed row: "order_search" with "order_id". */
  terms: { table: string; id: string };
}

type Request = PageRequest<{ search?: string }>;

/** Lists with a search if the request contains one. */
export function searchablePage<R>(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
): Promise<Page<R>> {
  const { search } = request.filters;
  return search ? searchPage<R>(db, request, listing, search) : plainPage<R>(db, request, listing);
}

/**
 * For a rare term, all matches are looked up in the index and sorted. For a common term, the list is scanned in the
 * requested order until the page is full. The planner cannot make this choice: it knows at best how common a term is
 * in all stores together, and to list the names with a C it scanned all names with an A and a B.
 */
async function searchPage<R>(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
  search: string,
): Promise<Page<R>> {
  const found = THREE_TOGETHER.test(search) ? await lookUp<R>(db, request, listing, search) : undefined;
  if (found?.page) return found.page;
  const rows =
    (await walk<R>(db, request, listing, search)) ?? (await sortAll<R>(db, request, listing, search));
  if (request.page === undefined) return { rows, total: undefined };
  return { rows, total: found?.total ?? (await countFound(db, request, listing, search, found?.sampled)) };
}

/**
 * The number of rows in the sample, which are the next ones in the requested order. If `COMMON` of them match, the
 * term is not looked up in the index.
 */
const SAMPLE = 100;
const COMMON = 4;
/** From this number on, reading rows until 10,000 are counted is faster than reading all matches from the index. */
const VERY_COMMON = 25;
const THREE_TOGETHER = /[\p{L}\p{N}]{3}/u;

interface Found<R> {
  /** The number of matches in the sample. */
  sampled: number;
  /** Set when all matches could be sorted. */
  page: Page<R> | undefined;
  /** Set when there are more matches than the counting limit and no other filter applies. */
  total: number | undefined;
}

async function lookUp<R>(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
  search: string,
): Promise<Found<R>> {
  const { workspaceId, from, alias, where, sorts } = listing;
  const { where: beyond, order } = pageClauses(request, sorts, alias);
  const key = keyColumns(request, listing);
  const direction = raw(sortOf(sorts, request.sort).descends ? 'desc' : 'asc');
  const rows = await db.query<Listed<R> & { sampled: number; found: number; total_listed: number }>(
    prepared(sql`
      with sample as materialized (
        select count(*) as matching from (
          select ${key} from ${from} where ${raw(alias)}.workspace_id = ${workspaceId} ${beyond}
          ${inOrder(request, listing)} ${raw(`limit ${SAMPLE}`)}
        ) next, ${filterByTerm(listing, search)}
      ),
      found as materialized (
        select * from (${allMatchingIds(listing, search)}) all_found
        where (select matching from sample) < ${raw(String(COMMON))} ${COUNTED}
      ),
      matching as materialized (
        select ${key} from found, ${rowById(listing)}
        where (select count(*) from found) <= ${raw(String(REACH))} and ${where}
      )
      select page.*, counted.* from (
        select (select matching from sample) as sampled, (select count(*) from found) as found,
          (select count(*) from matching) as total_listed
      ) counted left join (
        ${recordsOf(sql`select ${key} from matching ${raw(alias)} where true ${beyond} ${order}`, request, listing)}
      ) page on true
      order by page.sorted_by ${direction}, page.id ${direction}`),
  );
  const { sampled, found, total_listed } = rows[0]!;
  if (sampled >= COMMON) return { sampled, page: undefined, total: undefined };
  if (found > REACH) return { sampled, page: undefined, total: isOnlyFilter(request) ? found : undefined };
  // The row has no id if no record is left for this page, because the counts still need a row.
  return {
    sampled,
    page: { rows: rows.filter((row) => row.id !== null), total: total_listed },
    total: undefined,
  };
}

/**
 * Returns undefined if the page is not full after so many rows: the term is rare, or its matches are elsewhere in
 * this order.
 */
async function walk<R>(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
  search: string,
): Promise<Listed<R>[] | undefined> {
  const { from, alias, where, sorts } = listing;
  const { where: beyond, order } = pageClauses(request, sorts, alias);
  const steps = request.page === undefined || request.page === 1 ? 4_000 : 20_000;
  const hits = sql`
    select next.* from (
      select ${keyColumns(request, listing)} from ${from} where ${where} ${beyond}
      ${inOrder(request, listing)} ${raw(`limit ${steps}`)}
    ) next, ${filterByTerm(listing, search)}`;
  const rows = await db.query<Listed<R>>(
    prepared(recordsOf(sql`select * from (${hits}) ${raw(alias)} ${order}`, request, listing)),
  );
  return rows.length > request.limit ? rows : undefined;
}

async function sortAll<R>(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
  search: string,
): Promise<Listed<R>[]> {
  const { alias, where, sorts } = listing;
  const { where: beyond, order } = pageClauses(request, sorts, alias);
  const hits = sql`
    with found as materialized (${allMatchingIds(listing, search)})
    select ${keyColumns(request, listing)} from found, ${rowById(listing)} where ${where} ${beyond} ${order}`;
  return db.query<Listed<R>>(recordsOf(hits, request, listing));
}

async function countFound(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
  search: string,
  sampled = SAMPLE,
): Promise<number> {
  const byIndex = isPrefixSearch(search, listing) || sampled < VERY_COMMON;
  const all = allMatchingIds(listing, search, byIndex);
  const found = isOnlyFilter(request)
    ? sql`select from (${all}) found`
    : sql`select from (${all}) found, ${rowById(listing)} where ${listing.where}`;
  const [counted] = await db.query<{ total: number }>(
    sql`select count(*) as total from (${found} ${COUNTED}) counted`,
  );
  return counted!.total;
}

/** Returns whether the search is the only filter, so that its matches are exactly the listed rows. */
function isOnlyFilter({ filters }: Request): boolean {
  return Object.keys(filters).length === 1;
}

// The following fragments are evaluated row by row, and OFFSET 0 enforces that. Where the planner expected one row
// and there were ten thousand, it used a nested loop that took half a minute.

/** The listed row for each row of "found". */
function rowById({ workspaceId, from, alias }: SearchableListing): Statement {
  return sql`lateral (
    select ${raw(alias)}.* from ${from} where ${raw(alias)}.workspace_id = ${workspaceId} and ${raw(alias)}.id = found.id offset 0
  ) ${raw(alias)}`;
}

/** The rows of "next" that match the term. */
function filterByTerm(listing: SearchableListing, search: string): Statement {
  const { workspaceId, terms } = listing;
  return sql`lateral (
    select from ${raw(terms.table)} s where s.workspace_id = ${workspaceId} and s.${raw(terms.id)} = next.id
      and ${matches(search, listing)} offset 0
  ) hit`;
}

/** The ids of all rows that match the term. */
function allMatchingIds(listing: SearchableListing, search: string, byIndex = true): Statement {
  const { workspaceId, terms } = listing;
  const hasGrams = lettersIn(search) >= 4;
  const table = byIndex && hasGrams ? likely(listing, search) : raw(terms.table);
  const condition = byIndex && !hasGrams ? matchesByTrigrams(search, listing) : matches(search, listing);
  return sql`
    select s.${raw(terms.id)} as id from ${table} s where s.workspace_id = ${workspaceId} and ${condition}`;
}

/**
 * A separate sub-select behind OFFSET 0, with keys that the planner cannot see, so that only the trigram index can be
 * used. With any other plan, for a small store or a common trigram, PostgreSQL computes the trigrams of every row
 * again, at 100 µs per row.
 */
function likely({ workspaceId, terms }: SearchableListing, search: string): Statement {
  return sql`(
    select * from ${raw(terms.table)} t
    where search_grams(t.workspace_id, t.terms) @> (select search_keys(${workspaceId}, ${search})) offset 0
  )`;
}
