import {
  cursorExpired,
  formatPosition,
  type Head,
  parsePosition,
  rejectLostPosition,
} from '../events/epochs.js';
import { settledHead } from '../events/sequencer.js';
import type { Queryable, StoreAccess } from '../platform/db/share.js';
import { joined, raw, type Statement, sql } from '../platform/db/sql.js';
import { startOfDay } from '../platform/db/store-days.js';
import { listBody } from '../platform/http/send-json.js';
import type { ListMemory } from '../platform/lists/list-memory.js';
import type { Page } from '../platform/lists/listing.js';
import { byTime, metaOf, type PageRequest, type SortKey } from '../platform/lists/paging.js';
import { searchablePage } from '../platform/lists/search.js';
import { isId } from '../platform/schema/ids.js';
import { isoOf } from '../platform/schema/times.js';
import { type OrderRecord, orderColumns, orderJson } from './records.js';
import { searchingForDocuments } from './search.js';

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
  // Delta sync sorts by the number of each order's last change, because the sequence of timestamps can differ from the
  // sequence of commits.
  updatedAt: { column: 'change', cast: 'bigint', isValue: isChangePosition },
};

/** Lists orders. Returns the response as JSON text. */
export async function listOrders(
  db: Queryable,
  memory: ListMemory,
  workspaceId: string,
  request: PageRequest<OrderFilters>,
): Promise<Buffer> {
  const page = await readOrders(db, memory, workspaceId, request, { from: sql`orders o`, json: orderJson });
  return listBody(page.json, metaOf(request, page));
}

/**
 * Lists orders by their last change, for delta sync. First assigns numbers to all changes committed before the call, so
 * that later commits get higher numbers.
 */
export async function listChanges(
  db: StoreAccess,
  memory: ListMemory,
  workspaceId: string,
  request: PageRequest<OrderFilters>,
): Promise<Buffer> {
  const head = await settledHead(db, workspaceId);
  const after = request.after && {
    value: await changeNumber(db, workspaceId, request.after.value as string, head),
    id: request.after.id,
  };
  // An order with a change that has no number yet, because it was committed after `settledHead`, is left out here. The
  // order is returned later under the number of that change.
  // The id must come from order_changes, and not from orders, so that the index on (workspace_id, change, order_id) is
  // used to find the position of the cursor.
  const changed = sql`(
    select *, o as record from order_changes c (workspace_id, id, change) join orders o using (workspace_id, id)
    where not exists (select from outbox x where x.workspace_id = c.workspace_id and x.order_id = c.id)
  ) o`;
  const page = await readOrders(
    db,
    memory,
    workspaceId,
    { ...request, after },
    {
      from: changed,
      json: raw('coalesce(o.document, order_json(o.record))'),
    },
  );
  const position = (number: string | number) => formatPosition({ epoch: head.epoch, number: Number(number) });
  const last = page.last && { value: position(page.last.value), id: page.last.id };
  const end = { value: position(after?.value ?? head.last_order_change), id: request.after?.id ?? LAST_ID };
  return listBody(page.json, metaOf(request, { ...page, last }, end));
}

/** An id that sorts after the id of every order. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/**
 * Cursors of the first release contain PostgreSQL transaction ids, which cannot be converted to change numbers. Such a
 * cursor is rejected as expired, not as invalid.
 */
const FIRST_RELEASE = /^\d{1,19}$/;

function isChangePosition(value: unknown): boolean {
  return typeof value === 'string' && (parsePosition(value) !== undefined || FIRST_RELEASE.test(value));
}

async function changeNumber(db: Queryable, workspaceId: string, value: string, head: Head): Promise<number> {
  const position = parsePosition(value);
  if (!position) throw cursorExpired();
  await rejectLostPosition(db, workspaceId, 'last_order_change', position, head);
  return position.number;
}

function readOrders(
  db: Queryable,
  memory: ListMemory,
  workspaceId: string,
  request: PageRequest<OrderFilters>,
  source: { from: Statement; json: Statement },
): Promise<Page> {
  return searchablePage(db, searchingForDocuments(request), {
    workspaceId,
    from: source.from,
    alias: 'o',
    where: matching(workspaceId, request.filters),
    json: source.json,
    sorts: orderSorts,
    terms: { table: 'order_search', id: 'order_id' },
    // The number of orders per status or day varies too much for one prepared plan.
    plannedOnce: false,
    kept: { list: 'orders', memory, stableSorts: ['createdAt'] },
  });
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

/** Returns the id of the order with this number if it was placed with this e-mail. */
export async function findOrderId(
  db: Queryable,
  workspaceId: string,
  number: number,
  email: string,
): Promise<string | undefined> {
  const [order] = await db.query<{ id: string }>(sql`
    select id from orders
    where workspace_id = ${workspaceId} and number = ${number} and lower(customer ->> 'email') = lower(${email})`);
  return order?.id;
}

/** `from` and `to` are whole days in the store's time zone, both inclusive. */
function matching(workspaceId: string, filters: OrderFilters): Statement {
  const conditions = [sql`o.workspace_id = ${workspaceId}`];
  const date = raw(filters.dateType === 'updated' ? 'o.updated_at' : 'o.created_at');
  if (filters.from !== undefined)
    conditions.push(sql`${date} >= ${startOfDay(workspaceId, sql`${filters.from}::date`)}`);
  if (filters.to !== undefined)
    conditions.push(sql`${date} < ${startOfDay(workspaceId, sql`${filters.to}::date + 1`)}`);
  if (filters.status !== undefined) conditions.push(oneOf('o.status', filters.status));
  if (filters.statusShipping !== undefined)
    conditions.push(oneOf('o.status_shipping', filters.statusShipping));
  if (filters.updatedFrom !== undefined)
    conditions.push(sql`o.updated_at >= ${isoOf(filters.updatedFrom)}::timestamptz`);
  if (filters.updatedTo !== undefined)
    conditions.push(sql`o.updated_at <= ${isoOf(filters.updatedTo)}::timestamptz`);
  return joined(conditions, ' and ');
}

/**
 * `values` is a list separated by commas. A single value is compared with `=`, because the index on the column then
 * returns the orders sorted by creation time.
 */
function oneOf(column: string, values: string): Statement {
  const list = values.split(',');
  return list.length === 1 ? sql`${raw(column)} = ${values}` : sql`${raw(column)} = any(${list}::text[])`;
}
