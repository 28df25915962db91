import { type TProperties, Type } from 'typebox';
import { raw, type Statement, sql } from '../db/sql.js';
import { badRequest } from '../http/errors.js';
import { isId } from '../schema/ids.js';
import { Shape } from '../schema/shapes.js';
import { isoOf, timeOf } from '../schema/times.js';

export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 100;
/** Counting and skipping both cost time in proportion, so both end here; a cursor goes on. */
export const REACH = 10_000;

/** The query parameters that every paged list has. */
export const pagingQuery = {
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Which page, from 1. page × limit reaches 10,000 at most; go on with cursor.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Entries per page: 50 unless told, 100 at most (more is taken as 100).',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ description: 'nextCursor of the page before. It carries sort and filters.' }),
  ),
};

export const Meta = Shape('Meta', {
  limit: Type.Integer(),
  page: Type.Optional(Type.Integer({ description: 'Absent when a cursor was used.' })),
  total: Type.Optional(Type.Integer({ description: 'Exact up to 10,000. Absent when a cursor was used.' })),
  totalPages: Type.Optional(Type.Integer()),
  totalCapped: Type.Optional(
    Type.Boolean({ description: 'True when there are more than the 10,000 that total says.' }),
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

/** One way to sort a list: a column, and what its values look like inside a cursor. */
export interface SortKey {
  column: string;
  cast: 'text collate "C"' | 'numeric' | 'bigint' | 'timestamptz';
  isValue(value: unknown): boolean;
}

/** By a time. In UTC, as we give them out: PostgreSQL does not take every offset that RFC 3339 allows. */
export function byTime(column: string): SortKey {
  return {
    column,
    cast: 'timestamptz',
    isValue: (value) => typeof value === 'string' && value.endsWith('Z') && timeOf(value) !== undefined,
  };
}

/** What a list was asked for, whether by page or by cursor. */
export interface PageRequest<Filters> {
  /** Which list this is: its cursors say so, and no other list takes them. */
  list: string;
  limit: number;
  filters: Filters;
  sort: string;
  /** Set when the list was asked for by page. */
  page: number | undefined;
  /** Set when a cursor was sent: the sort value and the id of the last record of the page before. */
  after: { value: string | number; id: string } | undefined;
}

type ListQuery = { page?: number; limit?: number; cursor?: string; sort?: string };

/** Splits a validated query into paging and filters; a cursor brings its own sort and filters along. */
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
  const filters = meantBy(rest, options.filterShape) as Omit<Query, keyof ListQuery>;
  const limit = Math.min(asked ?? DEFAULT_LIMIT, MAX_LIMIT);
  if (cursor === undefined) {
    if (sort !== undefined) sortOf(options.sorts, sort);
    if ((page ?? 1) * limit > REACH)
      throw badRequest(
        `page × limit must not pass ${REACH}; go on with cursor (meta.nextCursor)`,
        'invalid_parameter',
      );
    return { list, limit, filters, sort: sort ?? options.defaultSort, page: page ?? 1, after: undefined };
  }
  if (page !== undefined) throw badRequest('page cannot stand beside cursor', 'invalid_parameter');
  const carried = decodeCursor(cursor, list, options.sorts, options.isFilters);
  // To search for nothing is not to search.
  const compared: Record<string, unknown> = { search: '', ...carried.filters, sort: carried.sort };
  for (const [name, value] of Object.entries({ ...filters, ...(sort !== undefined && { sort }) })) {
    if (compared[name] !== value)
      throw badRequest(
        `${name} differs from what the cursor carries; leave it out or start again without cursor`,
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

/** Times are all written in one way, so that a cursor and what stands beside it can be compared. */
function meantBy(query: Record<string, unknown>, shape: TProperties): Record<string, unknown> {
  const known = Object.entries(query).filter(([name]) => Object.hasOwn(shape, name));
  return Object.fromEntries(
    known.map(([name, value]) => [name, 'x-time' in shape[name]! ? isoOf(value as string) : value]),
  );
}

/** A list may sort by another column when it descends: then the table names "-updatedAt" by itself. */
export function sortOf(sorts: Record<string, SortKey>, sort: string): { key: SortKey; descends: boolean } {
  const key = findSort(sorts, sort);
  if (!key) {
    const names = Object.keys(sorts).filter((name) => !name.startsWith('-'));
    throw badRequest(
      `sort must be one of ${names.join(', ')}, with - in front to descend`,
      'invalid_parameter',
    );
  }
  return { key, descends: sort.startsWith('-') };
}

function findSort(sorts: Record<string, SortKey>, sort: string): SortKey | undefined {
  const name = [sort, sort.replace(/^-(?!-)/, '')].find((each) => Object.hasOwn(sorts, each));
  return name === undefined ? undefined : sorts[name];
}

/** "and (column, id) > (…)", "order by … limit …" for a page request, over a table with the alias `alias`. */
export function pageClauses(
  request: PageRequest<unknown>,
  sorts: Record<string, SortKey>,
  alias: string,
): { where: Statement; order: Statement } {
  const { key, descends } = sortOf(sorts, request.sort);
  const column = raw(`${alias}.${key.column}`);
  const direction = raw(descends ? 'desc' : 'asc');
  const beyond = raw(descends ? '<' : '>');
  const id = raw(`${alias}.id`);
  const where = request.after
    ? sql`and (${column}, ${id}) ${beyond} (${request.after.value}::${raw(key.cast)}, ${request.after.id}::uuid)`
    : raw('');
  const skip = request.page === undefined ? 0 : (request.page - 1) * request.limit;
  const offset = skip === 0 ? raw('') : sql`offset ${skip}`;
  // One more than asked for tells whether there is more. Written out and not passed as a value: a plan for any limit
  // expects a tenth of the table.
  const limit = raw(`limit ${request.limit + 1}`);
  const order = sql`order by ${column} ${direction}, ${id} ${direction} ${limit} ${offset}`;
  return { where, order };
}

/**
 * Cuts the extra record off and says how to go on. `total` was counted up to one beyond REACH. A list that can be continued
 * later passes `end`, the place that an empty page has reached: then there is always a next cursor.
 */
export function pageOf<R extends { id: string; sort_value: string | number }>(
  request: PageRequest<unknown>,
  rows: R[],
  total: number | undefined,
  end?: Reached,
): { rows: R[]; meta: PageMeta } {
  const hasMore = rows.length > request.limit;
  const kept = hasMore ? rows.slice(0, request.limit) : rows;
  const last = kept.at(-1);
  const reached = last ? { value: last.sort_value, id: last.id } : (request.after ?? end);
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
  return { rows: kept, meta: { limit: request.limit, ...counted, hasMore, nextCursor } };
}

interface Reached {
  value: string | number;
  id: string;
}

interface Cursor {
  sort: string;
  filters: object;
  after: Reached;
}

function encodeCursor(list: string, { sort, filters, after }: Cursor): string {
  return Buffer.from(JSON.stringify([list, sort, filters, after.value, after.id])).toString('base64url');
}

/** A cursor comes from outside like any other input: everything in it is judged again. */
function decodeCursor(
  text: string,
  list: string,
  sorts: Record<string, SortKey>,
  isFilters: (value: unknown) => boolean,
): Cursor {
  const broken = () => badRequest('cursor is not one that this list gave out', 'invalid_parameter');
  const bytes = Buffer.from(text, 'base64url');
  // The decoder skips what is not of its alphabet; a cursor with something on it is not the one given out.
  if (bytes.toString('base64url') !== text) throw broken();
  let parts: unknown;
  try {
    parts = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw broken();
  }
  if (!Array.isArray(parts) || parts.length !== 5 || parts[0] !== list) throw broken();
  const [sort, filters, value, id] = parts.slice(1) as [unknown, unknown, unknown, unknown];
  if (typeof sort !== 'string' || typeof id !== 'string' || !isId(id)) throw broken();
  if (!findSort(sorts, sort)?.isValue(value)) throw broken();
  if (typeof filters !== 'object' || filters === null || Array.isArray(filters) || !isFilters(filters))
    throw broken();
  return { sort, filters, after: { value: value as string | number, id } };
}
