import type { Queryable } from '../platform/db.js';
import { isId } from '../platform/ids.js';
import {
  type PageMeta,
  type PageRequest,
  pageClauses,
  pageOf,
  REACH,
  type SortKey,
  sortOf,
} from '../platform/paging.js';
import { fewOf, type SearchedRow, shortSearch } from '../platform/search.js';
import { joined, raw, type Statement, sql } from '../platform/sql.js';
import { timeOf } from '../platform/times.js';
import { type OrderRecord, orderColumns } from './records.js';

export interface OrderFilters {
  dateType?: 'created' | 'updated';
  from?: string;
  to?: string;
  search?: string;
  status?: string;
  statusShipping?: string;
  updatedFrom?: string;
  updatedTo?: string;
}

/** In UTC, as we give them out: PostgreSQL does not take every offset that RFC 3339 allows. */
export const byTime = (column: string): SortKey => ({
  column,
  cast: 'timestamptz',
  isValue: (value) => typeof value === 'string' && value.endsWith('Z') && timeOf(value) !== undefined,
});

export const orderSorts: Record<string, SortKey> = {
  createdAt: byTime('created_at'),
  '-updatedAt': byTime('updated_at'),
  // Delta sync: times do not follow commits, transactions do.
  updatedAt: {
    column: 'changed_xid',
    cast: 'xid8',
    isValue: (value) => typeof value === 'string' && /^\d{1,19}$/.test(value),
    followsCommits: true,
  },
};

export async function listOrders(
  db: Queryable,
  workspaceId: string,
  request: PageRequest<OrderFilters>,
): Promise<{ data: OrderRecord[]; meta: PageMeta }> {
  const { rows, total } =
    (await listFew(db, workspaceId, request)) ?? (await listMany(db, workspaceId, request));
  const endless = sortOf(orderSorts, request.sort).key.followsCommits;
  const counted = request.page === undefined ? undefined : total;
  const { rows: data, meta } = pageOf(request, rows, counted, endless);
  return { data, meta };
}

type Listed = { rows: (OrderRecord & { sort_value: string })[]; total: number | undefined };

async function listMany(
  db: Queryable,
  workspaceId: string,
  request: PageRequest<OrderFilters>,
): Promise<Listed> {
  const { from, where } = matching(workspaceId, request.filters);
  const { where: beyond, order } = pageClauses(request, orderSorts, 'o');
  const { key } = sortOf(orderSorts, request.sort);
  const sortValue = raw(`o.${key.column}${key.followsCommits ? '::text' : ''}`);
  const [rows, total] = await Promise.all([
    db.query<OrderRecord & { sort_value: string }>(
      sql`select ${orderColumns}, ${sortValue} as sort_value from ${from} where ${where} ${beyond} ${order}`,
    ),
    request.page === undefined
      ? undefined
      : db.query<{ total: number }>(
          sql`select count(*) as total from (select from ${from} where ${where} limit ${raw(String(REACH + 1))}) counted`,
        ),
  ]);
  return { rows, total: total?.[0]?.total };
}

async function listFew(
  db: Queryable,
  workspaceId: string,
  request: PageRequest<OrderFilters>,
): Promise<Listed | undefined> {
  const { search, ...others } = request.filters;
  if (!search) return undefined;
  const statement = shortSearch(request, {
    workspaceId,
    search,
    terms: { table: 'order_search', id: 'order_id' },
    ...matching(workspaceId, others),
    alias: 'o',
    columns: orderColumns,
    sorts: orderSorts,
  });
  return statement && fewOf(await db.query<OrderRecord & SearchedRow>(statement));
}

export async function findOrder(
  db: Queryable,
  workspaceId: string,
  id: string,
): Promise<OrderRecord | undefined> {
  if (!isId(id)) return undefined;
  const [order] = await db.query<OrderRecord>(
    sql`select ${orderColumns} from orders o where o.workspace_id = ${workspaceId} and o.id = ${id}`,
  );
  return order;
}

/** `from` and `to` are whole days of the store's own time zone, both included. */
function matching(workspaceId: string, filters: OrderFilters): { from: Statement; where: Statement } {
  const conditions = [sql`o.workspace_id = ${workspaceId}`];
  const date = raw(filters.dateType === 'updated' ? 'o.updated_at' : 'o.created_at');
  if (filters.from !== undefined)
    conditions.push(sql`${date} >= ${beginOf(workspaceId, sql`${filters.from}::date`)}`);
  if (filters.to !== undefined)
    conditions.push(sql`${date} < ${beginOf(workspaceId, sql`${filters.to}::date + 1`)}`);
  if (filters.status !== undefined) conditions.push(sql`o.status = ${filters.status}`);
  if (filters.statusShipping !== undefined)
    conditions.push(sql`o.status_shipping = ${filters.statusShipping}`);
  if (filters.updatedFrom !== undefined)
    conditions.push(sql`o.updated_at >= ${isoOf(filters.updatedFrom)}::timestamptz`);
  if (filters.updatedTo !== undefined)
    conditions.push(sql`o.updated_at <= ${isoOf(filters.updatedTo)}::timestamptz`);
  if (!filters.search) return { from: sql`orders o`, where: joined(conditions, ' and ') };
  conditions.push(sql`s.workspace_id = ${workspaceId}`, sql`s.terms like search_pattern(${filters.search})`);
  return {
    from: sql`orders o join order_search s on s.workspace_id = o.workspace_id and s.order_id = o.id`,
    where: joined(conditions, ' and '),
  };
}

/** Where clocks go back from 1 to 0 at night (Havana, the Azores) a day has two midnights: it begins with the first. */
function beginOf(workspaceId: string, day: Statement): Statement {
  return sql`(
    select case when ((midnight - interval '1 hour') at time zone timezone)::date = day
      then midnight - interval '1 hour' else midnight end
    from workspaces, lateral (select ${day} as day) d, lateral (select day::timestamp at time zone timezone as midnight) m
    where id = ${workspaceId})`;
}

function isoOf(time: string): string {
  return new Date(timeOf(time) as number).toISOString();
}
