import type { Queryable } from '../platform/db.js';
import { isId } from '../platform/ids.js';
import { byTime, type PageMeta, type PageRequest, pageOf, type SortKey, sortOf } from '../platform/paging.js';
import { searchablePage } from '../platform/search.js';
import { joined, raw, type Statement, sql } from '../platform/sql.js';
import { isoOf } from '../platform/times.js';
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
  const { rows, total } = await searchablePage<OrderRecord>(db, request, {
    workspaceId,
    from: sql`orders o`,
    alias: 'o',
    where: matching(workspaceId, request.filters),
    columns: orderColumns,
    sorts: orderSorts,
    terms: { table: 'order_search', id: 'order_id' },
    // How many have a status, or are of a day, differs too much.
    plannedOnce: false,
  });
  const endless = sortOf(orderSorts, request.sort).key.followsCommits;
  const { rows: data, meta } = pageOf(request, rows, total, endless);
  return { data, meta };
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
function matching(workspaceId: string, filters: OrderFilters): Statement {
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
  return joined(conditions, ' and ');
}

/** Where clocks go back from 1 to 0 at night (Havana, the Azores) a day has two midnights: it begins with the first. */
function beginOf(workspaceId: string, day: Statement): Statement {
  return sql`(
    select case when ((midnight - interval '1 hour') at time zone timezone)::date = day
      then midnight - interval '1 hour' else midnight end
    from workspaces, lateral (select ${day} as day) d, lateral (select day::timestamp at time zone timezone as midnight) m
    where id = ${workspaceId})`;
}
