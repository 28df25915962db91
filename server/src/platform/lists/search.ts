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
  /** Where the texts are that a search looks at, one row for each row that is listed: "order_search" with "order_id". */
  terms: { table: string; id: string };
}

type Request = PageRequest<{ search?: string }>;

/** With a search, if one is asked for. */
export function searchablePage<R>(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
): Promise<Page<R>> {
  const { search } = request.filters;
  return search ? searchPage<R>(db, request, listing, search) : plainPage<R>(db, request, listing);
}

/**
 * A rare word is looked up and what is found is sorted; to a common one the list is walked, in the order asked for, until
 * the page is full. Left to itself the planner cannot tell them apart: of a word it knows at best how common it is in all
 * stores together, and to list the names with a C it walked through all with an A and a B.
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

/** Of so many rows that come next in the order asked for; with `COMMON` of them a word is not looked up. */
const SAMPLE = 100;
const COMMON = 4;
/** From here on reading rows until 10,000 are counted is quicker than having the index tell of all. */
const VERY_COMMON = 25;
const THREE_TOGETHER = /[\p{L}\p{N}]{3}/u;

interface Found<R> {
  /** How many of the sample have the word. */
  sampled: number;
  /** Set when all that was found could be sorted. */
  page: Page<R> | undefined;
  /** Set when more was found than anybody counts, and nothing else must hold of it. */
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
        ) next, ${thatHaveIt(listing, search)}
      ),
      found as materialized (
        select * from (${allThatHaveIt(listing, search)}) all_found
        where (select matching from sample) < ${raw(String(COMMON))} ${COUNTED}
      ),
      matching as materialized (
        select ${key} from found, ${itsRow(listing)}
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
  if (found > REACH) return { sampled, page: undefined, total: isAlone(request) ? found : undefined };
  // Without an id when nothing is left for this page: the counts need a row too.
  return {
    sampled,
    page: { rows: rows.filter((row) => row.id !== null), total: total_listed },
    total: undefined,
  };
}

/** undefined when the page is not full after so many steps: the word is rare, or gathers elsewhere in this order. */
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
    ) next, ${thatHaveIt(listing, search)}`;
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
    with found as materialized (${allThatHaveIt(listing, search)})
    select ${keyColumns(request, listing)} from found, ${itsRow(listing)} where ${where} ${beyond} ${order}`;
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
  const all = allThatHaveIt(listing, search, byIndex);
  const found = isAlone(request)
    ? sql`select from (${all}) found`
    : sql`select from (${all}) found, ${itsRow(listing)} where ${listing.where}`;
  const [counted] = await db.query<{ total: number }>(
    sql`select count(*) as total from (${found} ${COUNTED}) counted`,
  );
  return counted!.total;
}

/** Nothing is asked for but the search: what it finds is what is listed. */
function isAlone({ filters }: Request): boolean {
  return Object.keys(filters).length === 1;
}

// What follows is looked at row by row, and OFFSET 0 keeps it so: where the planner expects one row and there are ten
// thousand, it compared each with each, for half a minute.

/** What is listed, of each of "found". */
function itsRow({ workspaceId, from, alias }: SearchableListing): Statement {
  return sql`lateral (
    select ${raw(alias)}.* from ${from} where ${raw(alias)}.workspace_id = ${workspaceId} and ${raw(alias)}.id = found.id offset 0
  ) ${raw(alias)}`;
}

/** Those of "next" that have the word. */
function thatHaveIt(listing: SearchableListing, search: string): Statement {
  const { workspaceId, terms } = listing;
  return sql`lateral (
    select from ${raw(terms.table)} s where s.workspace_id = ${workspaceId} and s.${raw(terms.id)} = next.id
      and ${matches(search, listing)} offset 0
  ) hit`;
}

/** The ids of all that have the word. */
function allThatHaveIt(listing: SearchableListing, search: string, byIndex = true): Statement {
  const { workspaceId, terms } = listing;
  const hasGrams = lettersIn(search) >= 4;
  const table = byIndex && hasGrams ? likely(listing, search) : raw(terms.table);
  const condition = byIndex && !hasGrams ? matchesByTrigrams(search, listing) : matches(search, listing);
  return sql`
    select s.${raw(terms.id)} as id from ${table} s where s.workspace_id = ${workspaceId} and ${condition}`;
}

/**
 * By itself behind OFFSET 0, and with keys that the planner cannot see: only the index is left to serve it. Whatever other
 * way the planner took, for a small store or a common gram, it would make the grams of each row anew, at 100 µs a row.
 */
function likely({ workspaceId, terms }: SearchableListing, search: string): Statement {
  return sql`(
    select * from ${raw(terms.table)} t
    where search_grams(t.workspace_id, t.terms) @> (select search_keys(${workspaceId}, ${search})) offset 0
  )`;
}
