import type { Queryable } from '../db/share.js';
import { prepared, raw, type Statement, sql } from '../db/sql.js';
import { termsVersion, type VersionedTerms } from './kept-count.js';
import {
  COUNTED,
  inOrder,
  keyColumns,
  type Listing,
  type Page,
  type PageRow,
  pageIn,
  pageRow,
  recordsOf,
} from './listing.js';
import { type PageRequest, pageClauses, REACH } from './paging.js';
import { plainPage } from './plain-page.js';
import { isPrefixSearch, lettersIn, type Matching, matches, matchesByTrigrams } from './search-matching.js';

export interface SearchableListing extends Listing, Matching {
  /** The table with the searchable texts, one row for each listed row: "order_search" with "order_id". */
  terms: { table: VersionedTerms; id: string };
}

type Request = PageRequest<{ search?: string }>;

/** Lists with a search if the request contains one. */
export function searchablePage(db: Queryable, request: Request, listing: SearchableListing): Promise<Page> {
  const { search } = request.filters;
  return search ? searchPage(db, request, listing, search) : plainPage(db, request, listing);
}

/**
 * For a rare term, all matches are looked up in the index and sorted. For a common term, the list is scanned in the
 * requested order until the page is full. The planner cannot make this choice: it knows at best how common a term is
 * in all stores together, and to list the names with a C it scanned all names with an A and a B.
 */
async function searchPage(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
  search: string,
): Promise<Page> {
  const found = THREE_TOGETHER.test(search) ? await lookUp(db, request, listing, search) : undefined;
  if (found?.page) return found.page;
  const walked = await walk(db, request, listing, search);
  const page = walked.found > request.limit ? walked : await sortAll(db, request, listing, search);
  if (request.page === undefined) return page;
  const { version } = walked;
  const total =
    found?.total ?? (await totalOf(db, request, listing, { search, version, sampled: found?.sampled }));
  return { ...page, total };
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

interface Found {
  /** The number of matches in the sample. */
  sampled: number;
  /** Set when all matches could be sorted. */
  page: Page | undefined;
  /** Set when there are more matches than the counting limit and no other filter applies. */
  total: number | undefined;
}

async function lookUp(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
  search: string,
): Promise<Found> {
  const { workspaceId, from, alias, where, sorts } = listing;
  const { where: beyond, order } = pageClauses(request, sorts, alias);
  const key = keyColumns(request, listing);
  const records = recordsOf(
    sql`select ${key} from matching ${raw(alias)} where true ${beyond} ${order}`,
    request,
    listing,
  );
  const [row] = await db.query<PageRow & { sampled: number; matches: number; total: number }>(
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
      select page.*, (select matching from sample) as sampled, (select count(*) from found) as matches,
        (select count(*) from matching) as total
      from (${pageRow(request, records)}) page`),
  );
  const { sampled, matches, total } = row!;
  if (sampled >= COMMON) return { sampled, page: undefined, total: undefined };
  if (matches > REACH)
    return { sampled, page: undefined, total: isOnlyFilter(request) ? matches : undefined };
  return { sampled, page: pageIn(row!, total), total: undefined };
}

/**
 * Reads the list in its order. If the page is not full after so many rows, the term is rare, or its matches are elsewhere
 * in this order. The version is that of all terms of the store.
 */
async function walk(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
  search: string,
): Promise<Page & { version: string }> {
  const { from, alias, where, sorts, terms, workspaceId } = listing;
  const { where: beyond, order } = pageClauses(request, sorts, alias);
  const steps = request.page === undefined || request.page === 1 ? 4_000 : 20_000;
  const hits = sql`
    select next.* from (
      select ${keyColumns(request, listing)} from ${from} where ${where} ${beyond}
      ${inOrder(request, listing)} ${raw(`limit ${steps}`)}
    ) next, ${filterByTerm(listing, search)}`;
  const page = recordsOf(sql`select * from (${hits}) ${raw(alias)} ${order}`, request, listing);
  const [row] = await db.query<PageRow & { version: string }>(
    prepared(sql`
      select page.*, (${termsVersion(workspaceId, terms.table)}) as version from (${pageRow(request, page)}) page`),
  );
  return { ...pageIn(row!, undefined), version: row!.version };
}

async function sortAll(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
  search: string,
): Promise<Page> {
  const { alias, where, sorts } = listing;
  const { where: beyond, order } = pageClauses(request, sorts, alias);
  const hits = sql`
    with found as materialized (${allMatchingIds(listing, search)})
    select ${keyColumns(request, listing)} from found, ${rowById(listing)} where ${where} ${beyond} ${order}`;
  const [row] = await db.query<PageRow>(pageRow(request, recordsOf(hits, request, listing)));
  return pageIn(row!, undefined);
}

/** Counts only if terms of the store have changed since the same search was counted. */
async function totalOf(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
  { search, version, sampled }: { search: string; version: string; sampled: number | undefined },
): Promise<number> {
  const { workspaceId, terms, kept } = listing;
  if (!kept || !isOnlyFilter(request)) return countFound(db, request, listing, search, sampled);
  const key = `${workspaceId} ${terms.table} ${isPrefixSearch(search, listing)} ${search}`;
  const remembered = kept.memory.totalOf(key);
  if (remembered?.version === version) return remembered.total;
  // The version is from before the count: if terms change in between, the next search counts again.
  const total = await countFound(db, request, listing, search, sampled);
  kept.memory.rememberTotal(key, version, total);
  return total;
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
