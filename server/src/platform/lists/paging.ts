import type { TProperties } from 'typebox';
import { raw, type Statement, sql } from '../db/sql.js';
import { badRequest } from '../http/errors.js';
import { Shape } from '../schema/shapes.js';
import { isoOf, timeOf } from '../schema/times.js';
import { Type } from '../schema/type.js';
import { decodeCursor, encodeCursor, type Reached } from './cursor.js';

export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 100;
/**
 * The last record that can be reached by page number, and the highest exact total. Counting and skipping rows takes
 * time proportional to their number. Cursors have no such limit.
 */
export const REACH = 10_000;

/** The query parameters that all lists with page numbers share. */
export const pagingQuery = {
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'The page number, from 1. page × limit must not exceed 10,000; use cursor beyond that.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Entries per page: default 50, maximum 100 (higher values are treated as 100).',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      description: 'nextCursor of the previous page. It contains the sort order and the filters.',
    }),
  ),
};

export const Meta = Shape('Meta', {
  limit: Type.Integer(),
  page: Type.Optional(Type.Integer({ description: 'Absent when a cursor was used.' })),
  total: Type.Optional(Type.Integer({ description: 'Exact up to 10,000. Absent when a cursor was used.' })),
  totalPages: Type.Optional(Type.Integer()),
  totalCapped: Type.Optional(
    Type.Boolean({
      description: 'True when total is 10,000 but there are more entries. Otherwise absent.',
    }),
  ),
  hasMore: Type.Boolean(),
  nextCursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
});

export interface PageMeta {
  limit: number;
  page?: number;
  total?: number;
  totalPages?: number;
  totalCapped?: boolean;
  hasMore: boolean;
  nextCursor: string | null;
}

/** A sort key of a list: a column, and how its values are represented in a cursor. */
export interface SortKey {
  column: string;
  cast: 'text collate "C"' | 'numeric' | 'bigint' | 'timestamptz';
  isValue(value: unknown): boolean;
}

/**
 * Returns the sort key for a column of times. Cursors contain times in UTC, because PostgreSQL does not accept every
 * offset that RFC 3339 allows.
 */
export function byTime(column: string): SortKey {
  return {
    column,
    cast: 'timestamptz',
    isValue: (value) => typeof value === 'string' && value.endsWith('Z') && timeOf(value) !== undefined,
  };
}

/** A validated request for a page of a list, by page number or by cursor. */
export interface PageRequest<Filters> {
  /** The name of the list. Cursors contain it, so that other lists reject them. */
  list: string;
  limit: number;
  filters: Filters;
  sort: string;
  /** Undefined if a cursor was sent. Otherwise the default is 1. */
  page: number | undefined;
  /** Set when a cursor was sent: the sort value and the id at which the previous page ended. */
  after: { value: string | number; id: string } | undefined;
}

type ListQuery = { page?: number; limit?: number; cursor?: string; sort?: string };

/** Splits a validated query into paging and filters. If a cursor was sent, sort and filters come from it. */
export function readPageRequest<Query extends ListQuery>(
  query: Query,
  options: {
    list: string;
    defaultSort: string;
    sorts: Record<string, SortKey>;
    filterShape: TProperties;
    isFilters: (value: unknown) => boolean;
  },
): PageRequest<Omit<Query, keyof ListQuery>> {
  const { list } = options;
  const { page, limit: asked, cursor, sort, ...rest } = query;
  const filters = withTimesInUtc(rest, options.filterShape) as Omit<Query, keyof ListQuery>;
  const limit = Math.min(asked ?? DEFAULT_LIMIT, MAX_LIMIT);
  if (cursor === undefined) {
    if (sort !== undefined) sortOf(options.sorts, sort);
    if ((page ?? 1) * limit > REACH)
      throw badRequest(
        `page × limit must not exceed ${REACH}; use cursor (meta.nextCursor) beyond that`,
        'invalid_parameter',
      );
    return { list, limit, filters, sort: sort ?? options.defaultSort, page: page ?? 1, after: undefined };
  }
  if (page !== undefined) throw badRequest('page and cursor cannot be combined', 'invalid_parameter');
  const carried = decodeCursor(
    cursor,
    list,
    (sort, value) => findSort(options.sorts, sort)?.isValue(value) === true,
    options.isFilters,
  );
  // An empty search is equivalent to no search.
  const compared: Record<string, unknown> = { search: '', ...carried.filters, sort: carried.sort };
  for (const [name, value] of Object.entries({ ...filters, ...(sort !== undefined && { sort }) })) {
    if (compared[name] !== value)
      throw badRequest(
        `${name} differs from the value in the cursor. Omit it, or start again without cursor`,
        'invalid_parameter',
      );
  }
  return {
    list,
    limit,
    filters: carried.filters as Omit<Query, keyof ListQuery>,
    sort: carried.sort,
    page: undefined,
    after: carried.after,
  };
}

/** Returns the known filters, with times in UTC, so that they can be compared with the filters in a cursor. */
function withTimesInUtc(query: Record<string, unknown>, shape: TProperties): Record<string, unknown> {
  const known = Object.entries(query).filter(([name]) => Object.hasOwn(shape, name));
  return Object.fromEntries(
    known.map(([name, value]) => [name, 'x-time' in shape[name]! ? isoOf(value as string) : value]),
  );
}

/**
 * Returns the sort key and direction for a `sort` parameter. If descending order uses another column, `sorts` has a
 * separate entry for descending order, such as "-updatedAt".
 */
export function sortOf(sorts: Record<string, SortKey>, sort: string): { key: SortKey; descends: boolean } {
  const key = findSort(sorts, sort);
  if (!key) {
    const names = Object.keys(sorts).filter((name) => !name.startsWith('-'));
    throw badRequest(
      `sort must be one of ${names.join(', ')}, with a leading - for descending order`,
      'invalid_parameter',
    );
  }
  return { key, descends: sort.startsWith('-') };
}

function findSort(sorts: Record<string, SortKey>, sort: string): SortKey | undefined {
  const name = [sort, sort.replace(/^-(?!-)/, '')].find((each) => Object.hasOwn(sorts, each));
  return name === undefined ? undefined : sorts[name];
}

/** Returns the number of rows to skip: those of the previous pages, or none if a cursor was sent. */
export function offsetOf({ page, limit }: PageRequest<unknown>): number {
  return page === undefined ? 0 : (page - 1) * limit;
}

/**
 * Returns the condition "and (column, id) > (…)" for the rows after `position`, with "<" for descending order. Returns
 * no condition if `position` is undefined.
 */
export function beyondPosition(
  request: PageRequest<unknown>,
  { sorts, alias }: { sorts: Record<string, SortKey>; alias: string },
  position: Reached | undefined,
): Statement {
  if (!position) return raw('');
  const { key, descends } = sortOf(sorts, request.sort);
  const operator = raw(descends ? '<' : '>');
  return sql`and (${raw(`${alias}.${key.column}, ${alias}.id`)}) ${operator} (${position.value}::${raw(key.cast)}, ${position.id}::uuid)`;
}

/**
 * Returns the condition of `beyondPosition` and the clause "order by … limit … offset …" of a page request, for a table
 * with the alias `alias`.
 */
export function pageClauses(
  request: PageRequest<unknown>,
  sorts: Record<string, SortKey>,
  alias: string,
): { where: Statement; order: Statement } {
  const { key, descends } = sortOf(sorts, request.sort);
  const column = raw(`${alias}.${key.column}`);
  const direction = raw(descends ? 'desc' : 'asc');
  const skip = offsetOf(request);
  const offset = skip === 0 ? raw('') : sql`offset ${skip}`;
  // One row more than requested shows whether there is a next page. The limit is a literal. With a parameter, the
  // generic plan would assume a limit of a tenth of the rows.
  const limit = raw(`limit ${request.limit + 1}`);
  const order = sql`order by ${column} ${direction}, ${raw(`${alias}.id`)} ${direction} ${limit} ${offset}`;
  return { where: beyondPosition(request, { sorts, alias }, request.after), order };
}

/**
 * Returns the paging metadata. For a list that grows at its end, such as the list of order changes, `end` is the
 * position from which to continue after an empty page. Such a list always has a next cursor.
 */
export function metaOf(
  request: PageRequest<unknown>,
  { found, last, total }: { found: number; last: Reached | undefined; total: number | undefined },
  end?: Reached,
): PageMeta {
  const hasMore = found > request.limit;
  const reached = last ?? end;
  const nextCursor =
    (hasMore || end) && reached
      ? encodeCursor(request.list, {
          sort: request.sort,
          filters: request.filters as object,
          after: reached,
        })
      : null;
  const counted =
    total === undefined
      ? {}
      : {
          page: request.page as number,
          total: Math.min(total, REACH),
          totalPages: Math.ceil(Math.min(total, REACH) / request.limit),
          ...(total > REACH && { totalCapped: true }),
        };
  return { limit: request.limit, ...counted, hasMore, nextCursor };
}
