import type { Queryable } from '../db/share.js';
import { arrayOf, prepared, sql } from '../db/sql.js';
import {
  countFound,
  type FoundPage,
  isOnlyFilter,
  lookUp,
  type SearchableListing,
  type SearchRequest,
  sortAll,
  walk,
} from './find-matches.js';
import { changesBetween, termsVersion } from './kept-count.js';
import { type Page, type PageRow, pageIn, pageRow, recordsOf } from './listing.js';
import { REACH } from './paging.js';
import { plainPage } from './plain-page.js';
import { isPrefixSearch } from './search-matching.js';

const THREE_TOGETHER = /[\p{L}\p{N}]{3}/u;

export function searchablePage(
  db: Queryable,
  request: SearchRequest,
  listing: SearchableListing,
): Promise<Page> {
  const { search } = request.filters;
  return search ? searchPage(db, request, listing, search) : plainPage(db, request, listing);
}

/**
 * For a rare term, all matches are looked up in the index and sorted. For a common term, or one without three letters
 * or digits in a row, the list is scanned in the requested order until the page is full; if that takes too many rows,
 * all matches are sorted instead. The planner cannot make this choice, because it knows at best how common a term is
 * across all stores, and not where in the order the matches are. For example, when all matching names began with C, its
 * plan first scanned all names that begin with A and B.
 */
async function searchPage(
  db: Queryable,
  request: SearchRequest,
  listing: SearchableListing,
  search: string,
): Promise<Page> {
  const remembered = await rememberedPage(db, request, listing, search);
  if (remembered) return remembered;
  const found = THREE_TOGETHER.test(search) ? await lookUp(db, request, listing, search) : undefined;
  const page = found?.page ?? (await scan(db, request, listing, search));
  const { version } = page;
  remember(request, listing, search, page);
  if (request.page === undefined) return { ...page, total: undefined };
  if (page.total !== undefined) return page;
  const total =
    found?.total ?? (await totalOf(db, request, listing, { search, version, sampled: found?.sampled }));
  return { ...page, total };
}

async function scan(
  db: Queryable,
  request: SearchRequest,
  listing: SearchableListing,
  search: string,
): Promise<FoundPage> {
  const walked = await walk(db, request, listing, search);
  return walked.found > request.limit ? walked : sortAll(db, request, listing, search);
}

/** Counts the matches. The total of a search without other filters is reused as long as totalAt() allows. */
async function totalOf(
  db: Queryable,
  request: SearchRequest,
  listing: SearchableListing,
  { search, version, sampled }: { search: string; version: string; sampled: number | undefined },
): Promise<number> {
  const { kept } = listing;
  if (!kept || !isOnlyFilter(request)) return countFound(db, request, listing, search, sampled);
  const key = totalKey(listing, search);
  const remembered = totalAt(kept.memory.totalOf(key), version);
  if (remembered !== undefined) return remembered;
  // The version is read before counting. Terms that change in between count as changes after the total.
  const total = await countFound(db, request, listing, search, sampled);
  kept.memory.rememberTotal(key, version, total);
  return total;
}

/**
 * Returns the remembered total if it applies to this version of the search terms. The change of one row adds or removes
 * at most one match, so a total above REACH remains above REACH until enough rows have changed.
 */
function totalAt(
  remembered: { version: string; total: number } | undefined,
  version: string,
): number | undefined {
  if (!remembered || remembered.version === version) return remembered?.total;
  const least = remembered.total - changesBetween(remembered.version, version);
  return least > REACH ? least : undefined;
}

/**
 * Returns the page if it and its total are remembered and no search terms of the store's records have changed since.
 */
async function rememberedPage(
  db: Queryable,
  request: SearchRequest,
  listing: SearchableListing,
  search: string,
): Promise<Page | undefined> {
  const key = resultKey(request, listing, search);
  const result = key && listing.kept?.memory.resultOf(key);
  if (!result) return undefined;
  const total = totalAt(listing.kept?.memory.totalOf(totalKey(listing, search)), result.version);
  if (total === undefined) return undefined;
  const { workspaceId, terms } = listing;
  const hits = sql`select unnest((select ${arrayOf(result.ids)}::uuid[])) as id`;
  const [row] = await db.query<PageRow & { version: string }>(
    prepared(sql`
      select page.*, (${termsVersion(workspaceId, terms.table)}) as version
      from (${pageRow(request, recordsOf(hits, request, listing))}) page`),
  );
  return row!.version === result.version ? pageIn(request, row!, total) : undefined;
}

function remember(
  request: SearchRequest,
  listing: SearchableListing,
  search: string,
  { version, ids, total }: FoundPage,
): void {
  const key = resultKey(request, listing, search);
  if (!key || !listing.kept) return;
  listing.kept.memory.rememberResult(key, version, ids);
  if (total !== undefined) listing.kept.memory.rememberTotal(totalKey(listing, search), version, total);
}

/**
 * Returns the key under which the page is remembered. Returns undefined for a request with a cursor, and if the page
 * can change while the search terms of the store's records stay the same.
 */
function resultKey(request: SearchRequest, listing: SearchableListing, search: string): string | undefined {
  const { page, limit, sort } = request;
  const isStable = listing.kept?.stableSorts.includes(sort.replace('-', '')) && isOnlyFilter(request);
  return isStable && page !== undefined ? `${sort} ${limit} ${page} ${totalKey(listing, search)}` : undefined;
}

function totalKey(listing: SearchableListing, search: string): string {
  return `${listing.workspaceId} ${listing.terms.table} ${isPrefixSearch(search, listing)} ${search}`;
}
