import { type PageRequest, pageClauses, type SortKey, sortOf } from './paging.js';
import { prepared, raw, type Statement, sql } from './sql.js';

const FEW = 1_000;
const THREE_TOGETHER = /[\p{L}\p{N}]{3}/u;
const LETTERS_AND_DIGITS = /[\p{L}\p{N}]/gu;

interface Searched {
  workspaceId: string;
  search: string;
  /** Where the terms are and what they are terms of: "order_search", "order_id". */
  terms: { table: string; id: string };
  /** What is listed, under its alias, and what else must hold of it. */
  from: Statement;
  alias: string;
  where: Statement;
  columns: Statement;
  sorts: Record<string, SortKey>;
}

/** One row of a short search; without an id when the page is empty, because the counts need a row too. */
export interface SearchedRow {
  id: string | null;
  sort_value: string;
  found: number;
  total: number;
}

/**
 * What a search finds when that is little, as it mostly is: collected first, then sorted. Left to itself the planner
 * takes a rare word for a common one (it knows neither) and walks the whole store. undefined: the text is too short to be
 * looked for by index.
 */
export function shortSearch(request: PageRequest<unknown>, searched: Searched): Statement | undefined {
  const { workspaceId, search, terms, from, alias, where, columns, sorts } = searched;
  if (!THREE_TOGETHER.test(search)) return undefined;
  const { where: beyond, order } = pageClauses(request, sorts, alias);
  const { key, descends } = sortOf(sorts, request.sort);
  const direction = raw(descends ? 'desc' : 'asc');
  const column = `${alias}.${key.column}`;
  // Letters and digits are what no rule of unaccent takes away, so there are six bytes to look for.
  const byGrams = (search.match(LETTERS_AND_DIGITS)?.length ?? 0) >= 6;
  // The empty text keeps the planner from looking into the trigrams as well, whose lists are long in a large store.
  const matches = byGrams
    ? sql`(s.terms || '') like search_pattern(${search})
        and search_grams(s.workspace_id, s.terms) @> search_keys(${workspaceId}, ${search})`
    : sql`s.terms like search_pattern(${search})`;
  return prepared(sql`
    with found as materialized (
      select s.${raw(terms.id)} as found_id from ${raw(terms.table)} s
      where s.workspace_id = ${workspaceId} and ${matches}
      limit ${raw(String(FEW + 1))}
    ),
    matching as materialized (
      select ${raw(alias)}.* from found join ${from} on ${raw(`${alias}.id`)} = found_id where ${where}
    )
    select page.*, counted.*
    from (select (select count(*) from found) as found, (select count(*) from matching) as total) counted
    left join (
      select ${columns}, ${raw(`${column}${key.followsCommits ? '::text' : ''}`)} as sort_value, ${raw(column)} as sorted_by
      from matching ${raw(alias)} where true ${beyond} ${order}
    ) page on true
    order by page.sorted_by ${direction}, page.id ${direction}`);
}

/** The rows that are there, or undefined when the search found too much to be collected. */
export function fewOf<R extends SearchedRow>(
  rows: R[],
): { rows: (R & { id: string })[]; total: number } | undefined {
  const { found, total } = rows[0]!;
  if (found > FEW) return undefined;
  return { rows: rows.filter((row): row is R & { id: string } => row.id !== null), total };
}
