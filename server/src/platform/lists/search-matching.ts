import { raw, type Statement, sql } from '../db/sql.js';

/** How the search terms of a row, `s.terms`, are compared with the searched text. */
export interface Matching {
  /**
   * If true, searches with fewer than three letters and digits match only at the beginning of words. The trigram index
   * supports such searches. Finding two letters inside a word would require reading every row of the store.
   */
  shortSearchesMatchPrefixes?: boolean;
}

/**
 * Counts the letters and digits of a search. Removing accents never removes a letter or digit, so a search with four of
 * them has at least the four bytes that search_keys() needs.
 */
export function lettersIn(search: string): number {
  return search.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

export function isPrefixSearch(search: string, { shortSearchesMatchPrefixes }: Matching): boolean {
  return shortSearchesMatchPrefixes === true && lettersIn(search) < 3;
}

/**
 * The condition for rows that are found without the trigram index. The explicit collation prevents the planner from
 * using that index.
 */
export function matches(search: string, matching: Matching): Statement {
  return condition(raw('s.terms collate "C"'), search, matching);
}

export function matchesByTrigrams(search: string, matching: Matching): Statement {
  return condition(raw('s.terms'), search, matching);
}

// The patterns are sub-selects, so PostgreSQL computes each of them once per statement. Computing a pattern for every
// row would take 7 µs per row.
function condition(terms: Statement, search: string, matching: Matching): Statement {
  if (!isPrefixSearch(search, matching)) return sql`${terms} like (select search_pattern(${search}))`;
  // For "ab", search_pattern() returns "%ab%". A word begins at the start of the terms, after a space, or after the
  // separator of two values.
  return sql`(
    ${terms} like (select substr(search_pattern(${search}), 2))
    or ${terms} like (select '% ' || substr(search_pattern(${search}), 2))
    or ${terms} like (select '%' || chr(31) || substr(search_pattern(${search}), 2)))`;
}
