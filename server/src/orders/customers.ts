import type { Queryable, Tx } from '../platform/db.js';
import { newId } from '../platform/ids.js';
import { byTime, type PageMeta, type PageRequest, pageOf, type SortKey } from '../platform/paging.js';
import { searchablePage } from '../platform/search.js';
import { raw, sql } from '../platform/sql.js';
import type { Buyer } from './checkout.js';
import type { Address, OrderCustomer } from './records.js';

export interface CustomerRecord {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  document: string | null;
  address: Address | null;
  ordersCount: number;
  totalSpent: number;
  firstOrderAt: string;
  lastOrderAt: string;
}

/**
 * The same document is the same person, else the same e-mail. The latest order says what they are called now. The time
 * is that of the transaction, as the order's own: what is derived from orders agrees with them to the millisecond.
 */
export async function findOrCreateCustomer(
  tx: Tx,
  workspaceId: string,
  buyer: Buyer,
): Promise<OrderCustomer> {
  const { name, email, phone, document, address } = buyer;
  const identity = document === null ? `email ${email.toLowerCase()}` : `document ${document}`;
  const [row] = await tx.query<{ id: string }>(sql`
    insert into customers (workspace_id, id, identity, name, email, phone, document, address, first_order_at, last_order_at, terms)
    values (${workspaceId}, ${newId()}, ${identity}, ${name}, ${email}, ${phone}, ${document}, ${JSON.stringify(address)}::jsonb,
            now(), now(), search_terms(${name}, ${email}, ${document}, ${phone}))
    on conflict (workspace_id, identity) do update set
      name = excluded.name, email = excluded.email, phone = excluded.phone, address = excluded.address,
      last_order_at = greatest(customers.last_order_at, excluded.last_order_at), terms = excluded.terms
    returning id`);
  return { id: row!.id, name, email, phone, document };
}

/** What a customer has bought follows the money: up when an order is paid, down by what is refunded. */
export async function countPurchase(
  tx: Tx,
  workspaceId: string,
  customerId: string,
  orders: 0 | 1,
  amount: number,
): Promise<void> {
  await tx.query(sql`
    update customers set orders_count = orders_count + ${orders}::integer, total_spent = total_spent + ${amount}::numeric
    where workspace_id = ${workspaceId} and id = ${customerId}`);
}

export const customerSorts: Record<string, SortKey> = {
  lastOrderAt: byTime('last_order_at'),
};

const columns = raw(`
  c.id, c.name, c.email, c.phone, c.document, c.address, c.orders_count as "ordersCount", c.total_spent as "totalSpent",
  c.first_order_at as "firstOrderAt", c.last_order_at as "lastOrderAt"`);

/** Those who bought last come first. Orders are not read: what a customer has bought is kept with the customer. */
export async function listCustomers(
  db: Queryable,
  workspaceId: string,
  request: PageRequest<{ search?: string }>,
): Promise<{ data: CustomerRecord[]; meta: PageMeta }> {
  const { rows, total } = await searchablePage<CustomerRecord>(db, request, {
    workspaceId,
    from: sql`customers c`,
    alias: 'c',
    where: sql`c.workspace_id = ${workspaceId}`,
    columns,
    sorts: customerSorts,
    terms: { table: 'customers', id: 'id' },
    plannedOnce: true,
  });
  const { rows: data, meta } = pageOf(request, rows, total);
  return { data, meta };
}
