import type { Queryable } from './db.js';
import { type PageRequest, pageClauses, REACH, type SortKey, sortOf } from './paging.js';
import { prepared, raw, type Statement, sql } from './sql.js';

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

export interface SearchableListing extends Listing {
  workspaceId: string;
  /** Where the texts are that a search looks at, one row for each row that is listed: "order_search" with "order_id". */
  terms: { table: string; id: string };
}

type Request = PageRequest<{ search?: string }>;
type Listed<R> = R & { id: string; sort_value: string };

export interface Page<R> {
  rows: Listed<R>[];
  /** Up to one beyond REACH; undefined when the list was asked for by cursor. */
  total: number | undefined;
}

/** With a search, if one is asked for. */
export function searchablePage<R>(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
): Promise<Page<R>> {
  const { search } = request.filters;
  return search ? searchPage<R>(db, request, listing, search) : plainPage<R>(db, request, listing);
}

/** One row more than asked for, if there is one, and how many there are in all. */
export async function plainPage<R>(
  db: Queryable,
  request: PageRequest<unknown>,
  listing: Listing,
): Promise<Page<R>> {
  const plan = listing.plannedOnce ? prepared : (statement: Statement) => statement;
  const { where: beyond, order } = pageClauses(request, listing.sorts, listing.alias);
  const { from, where, columns } = listing;
  const count = sql`select count(*) as total from (select from ${from} where ${where} limit ${COUNTED}) counted`;
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

/**
 * A word that is in few rows is looked up and what it finds is sorted; for one that is in many, the list is walked in the
 * order asked for until a page is full. Left to itself the planner cannot tell them apart: of a word it knows at best how
 * common it is in all stores together.
 */
async function searchPage<R>(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
  search: string,
): Promise<Page<R>> {
  const seen = THREE_TOGETHER.test(search) ? await lookUp<R>(db, request, listing, search) : undefined;
  if (seen?.page) return seen.page;
  const rows =
    (seen === undefined || seen.isCommon ? await walk<R>(db, request, listing, search) : undefined) ??
    (await letPlannerChoose<R>(db, request, listing, search));
  if (request.page === undefined) return { rows, total: undefined };
  return { rows, total: seen?.total ?? (await countFound(db, request, listing, search, seen?.sampled)) };
}

const COUNTED = raw(String(REACH + 1));
const FEW = 1_000;
/** Of a sample of the next ones in the order asked for; from `COMMON` of them on a word is not looked up. */
const SAMPLE = 100;
const COMMON = 4;
/** From here on finding the first 10,000 by reading is quicker than having the index tell of all. */
const VERY_COMMON = 25;
const THREE_TOGETHER = /[\p{L}\p{N}]{3}/u;
const LETTERS_AND_DIGITS = /[\p{L}\p{N}]/gu;

interface Seen<R> {
  sampled: number;
  isCommon: boolean;
  /** Set when all that was found could be sorted. */
  page: Page<R> | undefined;
  /** Set when all that was found is counted, or more than anybody counts. */
  total: number | undefined;
}

async function lookUp<R>(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
  search: string,
): Promise<Seen<R>> {
  const { workspaceId, from, alias, where, columns, sorts, terms } = listing;
  const { where: beyond, order } = pageClauses(request, sorts, alias);
  const counts = request.page !== undefined && isAlone(request);
  const rows = await db.query<Listed<R> & { sampled: number; found: number; total_listed: number }>(
    prepared(sql`
      with sample as materialized (
        select count(*) as matching from (
          select ${id(listing)} from ${from} where ${raw(alias)}.workspace_id = ${workspaceId} ${beyond}
          ${inOrder(request, listing)} limit ${raw(String(SAMPLE))}
        ) next join ${raw(terms.table)} s on s.workspace_id = ${workspaceId} and s.${raw(terms.id)} = next.id
        where ${contains(search)}
      ),
      found as materialized (
        select s.${raw(terms.id)} as found_id from ${raw(terms.table)} s
        where (select matching from sample) < ${raw(String(COMMON))}
          and s.workspace_id = ${workspaceId} and ${containsByIndex(workspaceId, search)}
        limit ${counts ? COUNTED : raw(String(FEW + 1))}
      ),
      matching as materialized (
        select ${raw(alias)}.* from found join ${from} on ${id(listing)} = found_id
        where (select count(*) from found) <= ${raw(String(FEW))} and ${where}
      )
      select page.*, counted.* from (
        select (select matching from sample) as sampled, (select count(*) from found) as found,
          (select count(*) from matching) as total_listed
      ) counted left join (
        select ${columns}, ${sortValue(request, listing)}, ${column(request, listing)} as sorted_by
        from matching ${raw(alias)} where true ${beyond} ${order}
      ) page on true
      order by page.sorted_by ${direction(request, listing)}, page.id ${direction(request, listing)}`),
  );
  const { sampled, found, total_listed: total } = rows[0]!;
  const isCommon = sampled >= COMMON;
  if (isCommon || found > FEW)
    return { sampled, isCommon, page: undefined, total: isCommon || !counts ? undefined : found };
  // Without an id when nothing is left for this page: the counts need a row too.
  const page = { rows: rows.filter((row) => row.id !== null), total };
  return { sampled, isCommon, page, total };
}

/** undefined when the page is not full after so many: the word is not as common as it looked. */
async function walk<R>(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
  search: string,
): Promise<Listed<R>[] | undefined> {
  const { workspaceId, from, alias, where, columns, sorts, terms } = listing;
  const { where: beyond } = pageClauses(request, sorts, alias);
  const skipped = ((request.page ?? 1) - 1) * request.limit;
  const steps = skipped === 0 ? 4_000 : 20_000;
  const rows = await db.query<Listed<R>>(
    prepared(sql`
      select ${columns}, ${sortValue(request, listing)} from (
        select next.id from (
          select ${id(listing)}, ${column(request, listing)} as sorted_by from ${from} where ${where} ${beyond}
          ${inOrder(request, listing)} limit ${raw(String(steps))}
        ) next join ${raw(terms.table)} s on s.workspace_id = ${workspaceId} and s.${raw(terms.id)} = next.id
        where ${contains(search)}
        order by next.sorted_by ${direction(request, listing)}, next.id ${direction(request, listing)}
        limit ${raw(String(request.limit + 1))} offset ${skipped}
      ) hit join ${from} on ${raw(alias)}.workspace_id = ${workspaceId} and ${id(listing)} = hit.id
      ${inOrder(request, listing)}`),
  );
  return rows.length > request.limit ? rows : undefined;
}

/** Planned for its very word. */
function letPlannerChoose<R>(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
  search: string,
): Promise<Listed<R>[]> {
  const { from, where, table } = joinedWithTerms(listing, search);
  const { where: beyond, order } = pageClauses(request, listing.sorts, listing.alias);
  return db.query<Listed<R>>(
    sql`select ${listing.columns}, ${sortValue(request, listing)} from ${from} ${table} where ${where} ${beyond} ${order}`,
  );
}

async function countFound(
  db: Queryable,
  request: Request,
  listing: SearchableListing,
  search: string,
  sampled = SAMPLE,
): Promise<number> {
  const { workspaceId, terms } = listing;
  const { from, where, table } = joinedWithTerms(listing, search);
  const some = isAlone(request)
    ? sql`${raw(terms.table)} s where s.workspace_id = ${workspaceId} and ${
        sampled < VERY_COMMON ? containsByIndex(workspaceId, search) : contains(search)
      }`
    : sql`${from} ${table} where ${where}`;
  const [counted] = await db.query<{ total: number }>(
    sql`select count(*) as total from (select from ${some} limit ${COUNTED}) counted`,
  );
  return counted!.total;
}

function joinedWithTerms({ workspaceId, from, alias, where, terms }: SearchableListing, search: string) {
  return {
    from,
    table: raw(
      `join ${terms.table} s on s.workspace_id = ${alias}.workspace_id and s.${terms.id} = ${alias}.id`,
    ),
    where: sql`${where} and s.workspace_id = ${workspaceId} and s.terms like search_pattern(${search})`,
  };
}

/** With its collation written out it is no condition that the trigram index could serve. */
function contains(search: string): Statement {
  return sql`s.terms collate "C" like search_pattern(${search})`;
}

/**
 * The keys stand in a sub-select to hide them from the planner: it has statistics of grams, and for a common one it reads
 * the whole table and makes the grams of every row anew, which took seconds.
 */
function containsByIndex(workspaceId: string, search: string): Statement {
  // Letters and digits are what no rule of unaccent takes away, so there are four bytes to look for.
  const hasGrams = (search.match(LETTERS_AND_DIGITS)?.length ?? 0) >= 4;
  if (!hasGrams) return sql`s.terms like search_pattern(${search})`;
  return sql`${contains(search)}
    and search_grams(s.workspace_id, s.terms) @> (select search_keys(${workspaceId}, ${search}))`;
}

/** Nothing is asked for but the search: what it finds is what is listed. */
function isAlone({ filters }: Request): boolean {
  return Object.keys(filters).length === 1;
}

function id({ alias }: Listing): Statement {
  return raw(`${alias}.id`);
}

function column({ sort }: PageRequest<unknown>, { alias, sorts }: Listing): Statement {
  return raw(`${alias}.${sortOf(sorts, sort).key.column}`);
}

function direction({ sort }: PageRequest<unknown>, { sorts }: Listing): Statement {
  return raw(sortOf(sorts, sort).descends ? 'desc' : 'asc');
}

function inOrder(request: PageRequest<unknown>, listing: Listing): Statement {
  const towards = direction(request, listing);
  return sql`order by ${column(request, listing)} ${towards}, ${id(listing)} ${towards}`;
}

function sortValue(request: PageRequest<unknown>, listing: Listing): Statement {
  const { followsCommits } = sortOf(listing.sorts, request.sort).key;
  return sql`${column(request, listing)}${raw(followsCommits ? '::text' : '')} as sort_value`;
}
