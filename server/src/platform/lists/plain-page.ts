import type { Queryable } from '../db/share.js';
import { prepared, raw, type Statement, sql } from '../db/sql.js';
import { keptCount } from './kept-count.js';
import type { Place } from './list-memory.js';
import {
  COUNTED,
  inOrder,
  type KeptList,
  type Listing,
  type Page,
  type PageRow,
  pageIn,
  pageRow,
  recordsFrom,
  sortColumn,
} from './listing.js';
import { beyondPosition, offsetOf, type PageRequest, sortOf } from './paging.js';

/** Below this number of records, counting them is as fast as adding up the rows of list_counts. */
const WORTH_KEEPING = 200;

/** A page of a list without a search. */
export async function plainPage(
  db: Queryable,
  request: PageRequest<unknown>,
  listing: Listing,
): Promise<Page> {
  if (request.page === undefined) {
    const records = recordsFrom(request, listing, beyondPosition(request, listing, request.after));
    const [row] = await db.query<PageRow>(planned(request, listing, pageRow(request, records)));
    return pageIn(request, row!, undefined);
  }
  const kept = listing.kept && isWhole(request) ? listing.kept : undefined;
  return kept ? wholePage(db, request, listing, kept) : filteredPage(db, request, listing);
}

interface WholeRow extends PageRow {
  total: number;
  version: string;
  is_counted: boolean;
}

/**
 * A page of a list without filters. The database may already have the total of the list, and a position at or before
 * the start of the page may be remembered.
 */
async function wholePage(
  db: Queryable,
  request: PageRequest<unknown>,
  listing: Listing,
  { list, memory, stableSorts }: KeptList,
): Promise<Page> {
  const { workspaceId } = listing;
  const read = async (place?: Place): Promise<WholeRow> => {
    const [row] = await db.query<WholeRow>(
      prepared(sql`
        with kept as materialized (${keptCount(workspaceId, list)})
        select page.*, kept.version, kept.total is null as is_counted,
          case when kept.total is null then (${countOf(listing)}) else kept.total end as total
        from (${pageRow(request, recordsAt(request, listing, place))}) page, kept`),
    );
    return row!;
  };
  const key = `${workspaceId} ${list} ${request.sort}`;
  const isStable = stableSorts.includes(request.sort.replace('-', ''));
  const known = isStable ? memory.placeBefore(key, offsetOf(request)) : undefined;
  let row = await read(known?.place);
  if (known && row.version !== known.version) row = await read();
  if (row.is_counted && row.total >= WORTH_KEEPING) memory.wantBase(workspaceId, list);
  const page = pageIn(request, row, row.total);
  if (isStable && page.last && page.found > request.limit)
    memory.rememberPlace(key, row.version, {
      offset: offsetOf(request) + request.limit,
      after: page.last,
    });
  return page;
}

async function filteredPage(db: Queryable, request: PageRequest<unknown>, listing: Listing): Promise<Page> {
  const page = pageRow(request, recordsAt(request, listing));
  const [row] = await db.query<PageRow & { total: number }>(
    planned(request, listing, sql`select page.*, (${countOf(listing)}) as total from (${page}) page`),
  );
  return pageIn(request, row!, row!.total);
}

function isWhole({ filters }: PageRequest<unknown>): boolean {
  return Object.values(filters as object).every((value) => value === undefined || value === '');
}

function planned(request: PageRequest<unknown>, { plannedOnce }: Listing, statement: Statement): Statement {
  return plannedOnce || isWhole(request) ? prepared(statement) : statement;
}

/** Counts the records, but at most one more than REACH: see COUNTED. */
function countOf({ from, where }: Listing): Statement {
  return sql`select count(*) from (select from ${from} where ${where} ${COUNTED}) counted`;
}

/**
 * Selects the records of a page that was requested by number. A sub-select finds the first of them. It selects only the
 * sort key, so PostgreSQL can skip index entries instead of rows: 5,000 rows took 8 ms, and 5,000 entries take 2 ms.
 *
 * The offset is itself a sub-select, which hides its value from the planner. Otherwise PostgreSQL would plan the
 * statement again for each page in a large store, because the generic plan, which assumes that a tenth of the list is
 * skipped, would seem more expensive than a plan for the actual offset.
 */
function recordsAt(request: PageRequest<unknown>, listing: Listing, place?: Place): Statement {
  const { from, alias, where, sorts } = listing;
  const skipped = offsetOf(request) - (place?.offset ?? 0);
  const afterPlace = beyondPosition(request, listing, place?.after);
  if (skipped === 0) return recordsFrom(request, listing, afterPlace);
  const key = sql`${sortColumn(request, listing)}, ${raw(`${alias}.id`)}`;
  const first = sql`
    select ${key} from ${from} where ${where} ${afterPlace} ${inOrder(request, listing)}
    limit 1 offset (select ${skipped}::bigint)`;
  const operator = raw(sortOf(sorts, request.sort).descends ? '<=' : '>=');
  return recordsFrom(request, listing, sql`and (${key}) ${operator} (${first})`);
}
