import { raw, type Statement, sql } from '../db/sql.js';

/** How the terms of a row, `s.terms`, are compared with what is searched for. */
export interface Matching {
  /**
   * Searches of one or two letters find only words that begin with them. The trigram index serves these; to find two
   * letters inside a word, every row of the store has to be read.
   */
  shortSearchesMatchPrefixes?: boolean;
}

/** unaccent never removes a letter or digit, so a search with four of them has at least four bytes. */
export function lettersIn(search: string): number {
  return search.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

export function isPrefixSearch(search: string, { shortSearchesMatchPrefixes }: Matching): boolean {
  return shortSearchesMatchPrefixes === true && lettersIn(search) < 3;
}

/** For rows that are already at hand: the explicit collation keeps the planner from using the trigram index. */
export function matches(search: string, matching: Matching): Statement {
  return condition(raw('s.terms collate "C"'), search, matching);
}

export function matchesByTrigrams(search: string, matching: Matching): Statement {
  return condition(raw('s.terms'), search, matching);
}

// The patterns are sub-selects, so that they are computed once and not for each row (7 µs).
function condition(terms: Statement, search: string, matching: Matching): Statement {
  if (!isPrefixSearch(search, matching)) return sql`${terms} like (select search_pattern(${search}))`;
  // search_pattern() returns "%ab%". A word begins the terms, follows a space, or follows the separator of two values.
  return sql`(
    ${terms} like (select substr(search_pattern(${search}), 2))
    or ${terms} like (select '% ' || substr(search_pattern(${search}), 2))
    or ${terms} like (select '%' || chr(31) || substr(search_pattern(${search}), 2)))`;
}
