import { sql } from '../../../src/platform/db/sql.js';
import type { RecordedAttempt } from './arrivals.js';
import type { FleetStore } from './stores.js';
import type { StormTarget } from './target.js';

export interface FeedEntry {
  id: string;
  sequence: number;
  event: string;
  data: { id: string; quantity: number; orderId: string; fields?: string[] };
}

/** The final state of a store, read from the database, and its feed as a partner reads it. */
export interface StoreState {
  products: { id: string; name: string; quantity: number }[];
  images: { url: string }[];
  orders: {
    id: string;
    checkoutId: string;
    status: string;
    total: number;
    refundedAmount: number;
    customerId: string;
    wasPaid: boolean;
    productId: string;
    units: number;
  }[];
  refunds: { orderId: string; status: string; restock: boolean }[];
  payments: { orderId: string; status: string; amount: number; refunded: number; movements: number }[];
  customers: { id: string; ordersCount: number; spent: number }[];
  feed: FeedEntry[];
}

export async function readState(target: StormTarget, store: FleetStore): Promise<StoreState> {
  const { workspaceId } = store;
  const db = target.db.store('test');
  return {
    products: await db.query(sql`
      select id, name, quantity from products where workspace_id = ${workspaceId}`),
    images: await db.query(sql`select url from product_images where workspace_id = ${workspaceId}`),
    orders: await db.query(sql`
      select id, checkout_id as "checkoutId", status, total, refunded_amount as "refundedAmount",
        customer_id as "customerId", paid_at is not null as "wasPaid", items->0->>'productId' as "productId",
        (items->0->>'quantity')::integer as units
      from orders where workspace_id = ${workspaceId}`),
    refunds: await db.query(sql`
      select order_id as "orderId", status, restock from refunds where workspace_id = ${workspaceId}`),
    payments: await db.query(sql`
      select p.order_id as "orderId", p.status, p.amount, p.refunded,
        (select count(*) from sandbox_refunds r where r.payment_id = p.id) as movements
      from sandbox_payments p where p.workspace_id = ${workspaceId}`),
    customers: await db.query(sql`
      select id, orders_count as "ordersCount", coalesce(amount_spent, total_spent) as spent
      from customers where workspace_id = ${workspaceId}`),
    feed: await readFeed(target, store),
  };
}

async function readFeed(target: StormTarget, store: FleetStore): Promise<FeedEntry[]> {
  const feed: FeedEntry[] = [];
  for (let after = ''; ; ) {
    const response = await target.call(store, 'GET', `/events?limit=100${after}`);
    if (response.status !== 200) throw new Error(`feed: ${response.status} ${await response.text()}`);
    const { data, meta } = (await response.json()) as {
      data: FeedEntry[];
      meta: { hasMore: boolean; nextCursor: string };
    };
    feed.push(...data);
    if (!meta.hasMore) return feed;
    after = `&after=${meta.nextCursor}`;
  }
}

export function readAttempts(target: StormTarget): Promise<RecordedAttempt[]> {
  return target.db.store('test').query(sql`
    select d.event_id as "eventId", a.number, a.error from delivery_attempts a
    join deliveries d on d.workspace_id = a.workspace_id and d.id = a.delivery_id`);
}

/** Returns the number of unfinished records by kind. The result is empty when everything is finished. */
export async function unfinished(target: StormTarget): Promise<Record<string, number>> {
  const [counts] = await target.db.store('test').query<Record<string, number>>(sql`
    select (select count(*) from outbox) as outbox,
      (select count(*) from deliveries where status = 'pending') as deliveries,
      (select count(*) from refunds where status = 'requested') as refunds,
      (select count(*) from sandbox_outbox) as notifications,
      (select count(*) from orders where status = 'pending') as orders`);
  return Object.fromEntries(Object.entries(counts!).filter(([, count]) => count > 0));
}

/** Sets the expiry of unpaid orders to the past, so that the workers cancel them. */
export async function expireOrders(target: StormTarget): Promise<void> {
  await target.db.store('test').autocommit.query(sql`
    update orders set expires_at = now() - interval '1 second' where status = 'pending'`);
}
