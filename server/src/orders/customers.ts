import type { Queryable, Tx } from '../platform/db/share.js';
import { raw, sql } from '../platform/db/sql.js';
import { listBody } from '../platform/http/send-json.js';
import type { ListMemory } from '../platform/lists/list-memory.js';
import { byTime, metaOf, type PageRequest, type SortKey } from '../platform/lists/paging.js';
import { searchablePage } from '../platform/lists/search.js';
import { newId } from '../platform/schema/ids.js';
import type { Address, Buyer } from './records.js';
import { searchingForDocuments } from './search.js';

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

/** Customers are identified by their document (CPF or CNPJ) or, without one, by their e-mail. */
export function identityOf({ document, email }: Buyer): string {
  return document === null ? `email ${email.toLowerCase()}` : `document ${document}`;
}

/**
 * Creates the customers that do not exist yet. Later unpaid orders do not change a customer, because anyone can enter
 * someone else's document. Customer and order both use the time of the transaction, so the first_order_at of a new
 * customer equals the created_at of the order. Customers are created in the order of their identities, so that two
 * transactions that create the same customers do not deadlock. Existing customers are left out, because an insert would
 * wait for a transaction that is just changing the customer.
 */
export async function ensureCustomers(tx: Tx, workspaceId: string, buyers: Buyer[]): Promise<void> {
  const rows = buyers.map((buyer) => ({ ...buyer, id: newId(), identity: identityOf(buyer) }));
  await tx.query(sql`
    insert into customers (workspace_id, id, identity, name, email, phone, document, address, first_order_at, last_order_at, terms)
    select ${workspaceId}, id, identity, name, email, phone, document, address, now(), now(),
      search_terms(name, email, document, formatted_tax_id(document), phone)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as buyer(id uuid, identity text, name text, email text,
      phone text, document text, address jsonb)
    where not exists (
      select from customers c where c.workspace_id = ${workspaceId} and c.identity = buyer.identity
    )
    order by identity
    on conflict (workspace_id, identity) do nothing`);
}

/**
 * Counts paid orders of different customers. The customer's name, contact data and address are taken from the paid order
 * placed last. Customers are locked in the sequence of their ids, which prevents deadlocks.
 */
export async function countPaidOrders(tx: Tx, workspaceId: string, orderIds: string[]): Promise<void> {
  await tx.query(sql`
    with paid as materialized (
      select o.customer_id, o.customer, o.shipping_address, o.created_at, o.total
      from orders o join customers c on c.workspace_id = o.workspace_id and c.id = o.customer_id
      where o.workspace_id = ${workspaceId} and o.id = any((select ${orderIds}::uuid[])::uuid[])
      order by c.id for no key update of c
    )
    update customers c set orders_count = c.orders_count + 1,
      amount_spent = coalesce(c.amount_spent, c.total_spent) + o.total,
      (name, email, phone, address, last_order_at, terms) = (
        select o.customer->>'name', o.customer->>'email', o.customer->>'phone', o.shipping_address, o.created_at,
          case when (o.customer->>'name', o.customer->>'email', o.customer->>'phone') is not distinct from (c.name, c.email, c.phone)
            then c.terms
            else search_terms(o.customer->>'name', o.customer->>'email', c.document, formatted_tax_id(c.document), o.customer->>'phone')
          end
        where c.last_order_at <= o.created_at
        union all
        select c.name, c.email, c.phone, c.address, c.last_order_at, c.terms where c.last_order_at > o.created_at
      )
    from paid o where c.workspace_id = ${workspaceId} and c.id = o.customer_id`);
}

/** Subtracts a refund, because customer totals are net of refunds. */
export async function countRefund(
  tx: Tx,
  workspaceId: string,
  customerId: string,
  amount: number,
): Promise<void> {
  await tx.query(sql`
    update customers set amount_spent = coalesce(amount_spent, total_spent) - ${amount}::numeric
    where workspace_id = ${workspaceId} and id = ${customerId}`);
}

export const customerSorts: Record<string, SortKey> = {
  lastOrderAt: byTime('last_order_at'),
};

export const customerColumns = raw(`
  c.id, c.name, c.email, c.phone, c.document, c.address, c.orders_count as "ordersCount",
  coalesce(c.amount_spent, c.total_spent) as "totalSpent", c.first_order_at as "firstOrderAt", c.last_order_at as "lastOrderAt"`);

const customerJson = raw(`
  '{"id":"' || c.id || '","name":' || json_text(c.name) || ',"email":' || json_text(c.email) || ',"phone":' || json_text(c.phone)
  || ',"document":' || json_text(c.document) || ',"address":' || coalesce(c.address::text, 'null')
  || ',"ordersCount":' || c.orders_count || ',"totalSpent":' || trim_scale(coalesce(c.amount_spent, c.total_spent))
  || ',"firstOrderAt":' || json_time(c.first_order_at) || ',"lastOrderAt":' || json_time(c.last_order_at) || '}'`);

/**
 * Returns a page of customers as JSON text. It reads no orders, because the totals are stored with the customer.
 */
export async function listCustomers(
  db: Queryable,
  memory: ListMemory,
  workspaceId: string,
  request: PageRequest<{ search?: string }>,
): Promise<Buffer> {
  const page = await searchablePage(db, searchingForDocuments(request), {
    workspaceId,
    from: sql`customers c`,
    alias: 'c',
    where: sql`c.workspace_id = ${workspaceId}`,
    json: customerJson,
    sorts: customerSorts,
    terms: { table: 'customers', id: 'id' },
    plannedOnce: true,
    // Any change to a customer changes the version of the list, so sorting by lastOrderAt is stable within a version.
    kept: { list: 'customers', memory, stableSorts: ['lastOrderAt'] },
  });
  return listBody(page.json, metaOf(request, page));
}
