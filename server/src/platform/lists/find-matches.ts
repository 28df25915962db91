import type { Queryable } from '../db/share.js';
import { prepared, raw, type Statement, sql } from '../db/sql.js';
import { keptCount, termsVersion, type VersionedTerms } from './kept-count.js';
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
import { isPrefixSearch, lettersIn, type Matching, matches, matchesByTrigrams } from './search-matching.js';

export interface SearchableListing extends Listing, Matching {
  /**
   * The table with the search terms, such as "order_search", and the column with the id of the listed row, such as
   * "order_id". The table has one row for each listed row.
   */
  terms: { table: VersionedTerms; id: string };
}

export type SearchRequest = PageRequest<{ search?: string }>;

/** A page of a search, with the data needed to return the same page again without searching. */
export interface FoundPage extends Page {
  /** The version of the store's search terms. */
  version: string;
  /** The ids of the records on the page, followed by the id of the next record if there is a next page. */
  ids: string[];
}

interface FoundRow extends PageRow {
  version: string;
  ids: string | null;
}

const IDS = raw(`, string_agg(id::text, ',') as ids`);

function foundPage(request: SearchRequest, row: FoundRow, total: number | undefined): FoundPage {
  return { ...pageIn(request, row, total), version: row.version, ids: row.ids?.split(',') ?? [] };
}

/**
 * The number of rows in the sample: the first rows of the unfiltered list, or the first ones after the cursor, in the
 * requested order.
 */
const SAMPLE = 100;
/** If fewer than this many rows of the sample match, the term is looked up in the index. */
const COMMON = 4;
/**
 * The term is also looked up if the sample suggests at most this many matches in the whole list. Sorting all of them is
 * then faster than scanning the list.
 */
const FEW_MATCHES = 1_500;
/**
 * If at least this many rows of the sample match, counting up to 10,000 matches row by row is faster than reading all
 * matches from the index.
 */
const VERY_COMMON = 25;

/**
 * How many matches beyond REACH are counted. A total that exceeds REACH by this many still exceeds it after as many
 * changes, so it need not be counted again after each of them.
 */
const SPARE = 1_000;

interface LookedUp {
  /** The number of matches in the sample. */
  sampled: number;
  /** The page itself, if there were so few matches that all of them could be sorted. */
  page: FoundPage | undefined;
  /** A number above REACH, if the lookup found that many matches and the search is the only filter. */
  total: number | undefined;
}

export async function lookUp(
  db: Queryable,
  request: SearchRequest,
  listing: SearchableListing,
  search: string,
): Promise<LookedUp> {
  const { workspaceId, from, alias, where, sorts } = listing;
  const { where: beyond, order } = pageClauses(request, sorts, alias);
  const key = keyColumns(request, listing);
  const records = recordsOf(
    sql`select ${key} from matching ${raw(alias)} where true ${beyond} ${order}`,
    request,
    listing,
  );
  const isRare = raw(`(matching < ${COMMON} or matching * size <= ${SAMPLE * FEW_MATCHES})`);
  const [row] = await db.query<
    FoundRow & { sampled: number; is_rare: boolean; matches: number; total: number }
  >(
    prepared(sql`
      with sample as materialized (
        select count(*) as matching, (${sizeOf(listing)}) as size from (
          select ${key} from ${from} where ${raw(alias)}.workspace_id = ${workspaceId} ${beyond}
          ${inOrder(request, listing)} ${raw(`limit ${SAMPLE}`)}
        ) next, ${filterByTerm(listing, search)}
      ),
      found as materialized (
        select * from (${allMatchingIds(listing, search)}) all_found
        where (select ${isRare} from sample) ${COUNTED}
      ),
      matching as materialized (
        select ${key} from found, ${rowById(listing)}
        where (select count(*) from found) <= ${raw(String(REACH))} and ${where}
      )
      select page.*, sample.matching as sampled, coalesce(${isRare}, sample.matching < ${raw(String(COMMON))}) as is_rare,
        (select count(*) from found) as matches, (select count(*) from matching) as total,
        (${termsVersion(workspaceId, listing.terms.table)}) as version
      from (${pageRow(request, records, IDS)}) page, sample`),
  );
  const { sampled, is_rare, matches, total } = row!;
  if (!is_rare) return { sampled, page: undefined, total: undefined };
  if (matches > REACH)
    return { sampled, page: undefined, total: isOnlyFilter(request) ? matches : undefined };
  return { sampled, page: foundPage(request, row!, total), total: undefined };
}

/**
 * Reads a limited number of rows of the list in the requested order and selects those that match. If these matches
 * do not fill the page, the term is rare or its other matches come later in this order.
 */
export async function walk(
  db: Queryable,
  request: SearchRequest,
  listing: SearchableListing,
  search: string,
): Promise<FoundPage> {
  const { from, alias, where, sorts, terms, workspaceId } = listing;
  const { where: beyond, order } = pageClauses(request, sorts, alias);
  const steps = request.page === undefined || request.page === 1 ? 4_000 : 20_000;
  const hits = sql`
    select next.* from (
      select ${keyColumns(request, listing)} from ${from} where ${where} ${beyond}
      ${inOrder(request, listing)} ${raw(`limit ${steps}`)}
    ) next, ${filterByTerm(listing, search)}`;
  const page = recordsOf(sql`select * from (${hits}) ${raw(alias)} ${order}`, request, listing);
  const [row] = await db.query<FoundRow>(
    prepared(sql`
      select page.*, (${termsVersion(workspaceId, terms.table)}) as version
      from (${pageRow(request, page, IDS)}) page`),
  );
  return foundPage(request, row!, undefined);
}

export async function sortAll(
  db: Queryable,
  request: SearchRequest,
  listing: SearchableListing,
  search: string,
): Promise<FoundPage> {
  const { alias, where, sorts, terms, workspaceId } = listing;
  const { where: beyond, order } = pageClauses(request, sorts, alias);
  const hits = sql`
    with found as materialized (${allMatchingIds(listing, search)})
    select ${keyColumns(request, listing)} from found, ${rowById(listing)} where ${where} ${beyond} ${order}`;
  const [row] = await db.query<FoundRow>(sql`
    select page.*, (${termsVersion(workspaceId, terms.table)}) as version
    from (${pageRow(request, recordsOf(hits, request, listing), IDS)}) page`);
  return foundPage(request, row!, undefined);
}

/** Counts the matches, but not all if there are more than REACH. */
export async function countFound(
  db: Queryable,
  request: SearchRequest,
  listing: SearchableListing,
  search: string,
  sampled = SAMPLE,
): Promise<number> {
  const byIndex = isPrefixSearch(search, listing) || sampled < VERY_COMMON;
  const all = allMatchingIds(listing, search, byIndex);
  // Only the total of a search without other filters is remembered.
  const found = isOnlyFilter(request)
    ? sql`select from (${all}) found ${raw(`limit ${REACH + 1 + SPARE}`)}`
    : sql`select from (${all}) found, ${rowById(listing)} where ${listing.where} ${COUNTED}`;
  const [counted] = await db.query<{ total: number }>(sql`select count(*) as total from (${found}) counted`);
  return counted!.total;
}

/** Returns whether the search is the only filter, so that its matches are exactly the listed rows. */
export function isOnlyFilter({ filters }: SearchRequest): boolean {
  return Object.keys(filters).length === 1;
}

// OFFSET 0 in rowById() and filterByTerm() makes PostgreSQL evaluate these fragments row by row. Without it, the
// planner expected one row where there were ten thousand, and chose a plan that took half a minute.

/** The number of records in the unfiltered list. Null before the first count, or if it is not maintained. */
function sizeOf({ kept, workspaceId }: SearchableListing): Statement {
  return kept ? sql`select total from (${keptCount(workspaceId, kept.list)}) kept` : raw('null::bigint');
}

/** Joins the listed row to each row of "found". */
function rowById({ workspaceId, from, alias }: SearchableListing): Statement {
  return sql`lateral (
    select ${raw(alias)}.* from ${from} where ${raw(alias)}.workspace_id = ${workspaceId} and ${raw(alias)}.id = found.id offset 0
  ) ${raw(alias)}`;
}

/** Keeps the rows of "next" that match the term. */
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
 * Finds candidates only with the index on search_grams(). Two things rule out every other plan: OFFSET 0, and keys from
 * a sub-select, whose values the planner does not know. PostgreSQL would choose other plans for a small store
 * or a common term, but those compute search_grams() again for every row, which takes 100 µs per row.
 */
function likely({ workspaceId, terms }: SearchableListing, search: string): Statement {
  return sql`(
    select * from ${raw(terms.table)} t
    where search_grams(t.workspace_id, t.terms) @> (select search_keys(${workspaceId}, ${search})) offset 0
  )`;
}
