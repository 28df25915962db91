import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { finishRefunds } from '../../src/orders/refund.js';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { openPayment, order } from '../support/shop.js';

/** How long a notification is postponed after its first failure. */
const RETRY_DELAY_MS = 10_000;

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
  await feira.context.db.store('test').autocommit.query(sql`delete from sandbox_outbox`);
  await feira.context.db.store('test').autocommit.query(sql`delete from refunds`);
});

/** Places an order with an open payment. */
async function place(of = store): Promise<{ orderId: string; transactionId: string }> {
  const productId = await newProduct(of, { quantity: 10 });
  const orderId = await order(
    feira,
    of.workspaceId,
    { productId, variantId: null, quantity: 1 },
    { pay: false },
  );
  const { transactionId } = await openPayment(feira, of.workspaceId, orderId, 1);
  return { orderId, transactionId };
}

/** Adds to the outbox a notification that was created `minutesAgo` minutes ago. The receiver rejects the type `odd`. */
const addNotification = (transactionId: string, type: string, minutesAgo = 0, refunded = 0) =>
  feira.context.db.store('test').autocommit.query(sql`
    insert into sandbox_outbox (id, payment_id, type, refunded_in_all, created_at)
    values (${`${transactionId}:${type}`}, ${transactionId}, ${type}, ${refunded}, now() - ${minutesAgo}::integer * interval '1 minute')`);
const mend = (transactionId: string) =>
  feira.context.db
    .store('test')
    .autocommit.query(sql`delete from sandbox_outbox where id = ${`${transactionId}:odd`}`);
const statusOf = async (orderId: string) => (await store.get(`/orders/${orderId}`)).body.status;

test('a hundred notifications that always fail do not block those of other payments', async () => {
  const { transactionId } = await place(await feira.store());
  await feira.context.db.store('test').autocommit.query(sql`
    with poison as (
      insert into sandbox_payments (id, workspace_id, order_id, store_name, amount, method, installments, return_url)
      select 'sbx_' || lpad(to_hex(n), 24, '0'), workspace_id, new_id(), store_name, amount, method, installments, return_url
      from sandbox_payments, generate_series(1, 100) n where id = ${transactionId} returning id
    )
    insert into sandbox_outbox (id, payment_id, type, refunded_in_all, created_at)
    select id || ':odd', id, 'odd', 0, now() - interval '1 hour' from poison`);
  const paid = await place();
  await addNotification(paid.transactionId, 'paid');
  await expect(feira.context.gateway.sendNotifications()).rejects.toThrow('100 of 100 failed');
  await feira.context.gateway.sendNotifications();
  expect(await statusOf(paid.orderId)).toBe('paid');
});

test('a notification that fails is tried again after ten seconds, then after twenty', async () => {
  const { transactionId } = await place();
  await addNotification(transactionId, 'odd');
  const { gateway } = feira.context;
  feira.clock.stop();
  for (const wait of [0, RETRY_DELAY_MS, 2 * RETRY_DELAY_MS]) {
    if (wait > 0) {
      feira.clock.forward(wait - 1);
      await gateway.sendNotifications();
      feira.clock.forward(1);
    }
    await expect(gateway.sendNotifications()).rejects.toThrow('1 of 1 failed');
  }
});

test('notifications of one payment are sent in order: a refund is not recorded before its payment', async () => {
  const { gateway } = feira.context;
  const { orderId, transactionId } = await place();
  await feira.context.db
    .store('test')
    .autocommit.query(sql`update sandbox_payments set status = 'paid' where id = ${transactionId}`);
  await addNotification(transactionId, 'odd', 60);
  await addNotification(transactionId, 'paid', 30);
  await gateway.refundAsMerchant(transactionId, 0.1);
  await gateway.sendNotifications();
  expect(await statusOf(orderId)).toBe('pending');
  await mend(transactionId);
  feira.clock.forward(3 * RETRY_DELAY_MS);
  await gateway.sendNotifications();
  expect((await store.get(`/orders/${orderId}`)).body).toMatchObject({
    status: 'partial_refunded',
    refundedAmount: 0.1,
  });
});

test('two hundred refunds that always fail do not block other refunds', async () => {
  const productId = await newProduct(store, { quantity: 10 });
  const orderId = await order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 });
  const { db, gateway } = feira.context;
  await db.store('test').autocommit.query(sql`
    with poison as (
      insert into orders (workspace_id, id, number, subtotal, shipping_cost, total, payment_method, gateway, customer_id, customer,
        shipping_address, items, checkout_id, expires_at, status)
      select workspace_id, new_id(), 5000 + n, subtotal, shipping_cost, total, payment_method, gateway, customer_id, customer,
        shipping_address, items, 'poison ' || n, expires_at, 'paid'
      from orders, generate_series(1, 200) n where id = ${orderId} returning workspace_id, id
    )
    insert into refunds (workspace_id, id, order_id, amount, created_at)
    select workspace_id, new_id(), id, 1, now() - interval '1 hour' from poison`);
  const total = (await store.get(`/orders/${orderId}`)).body.total;
  await db.store('test').autocommit.query(sql`
    insert into refunds (workspace_id, id, order_id, amount) values (${store.workspaceId}, new_id(), ${orderId}, ${total})`);
  await expect(finishRefunds(db, feira.clock, gateway)).rejects.toThrow('200 of 200 failed');
  await finishRefunds(db, feira.clock, gateway);
  expect(await statusOf(orderId)).toBe('refunded');
});
