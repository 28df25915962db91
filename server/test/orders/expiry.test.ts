import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addBusinessDays, localDay } from '../../src/orders/business-days.js';
import { expireUnpaid } from '../../src/orders/lifecycle.js';
import { finishRefunds } from '../../src/orders/refund.js';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct, newVaried, observe } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { dataOf, inTimeZone, transactionOf } from '../support/orders.js';
import { order } from '../support/shop.js';

const HOUR = 3_600_000;

let one: Feira;
let two: Feira;
/** A process with a short lock timeout. */
let shortTimeout: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  one = await openFeira();
  two = await openFeira({ on: one });
  shortTimeout = await openFeira({ on: one, deadlines: { lockMs: 50 } });
});
afterAll(() => one.close());
beforeEach(async () => {
  store = await one.store();
  productId = await newProduct(store, { quantity: 30 });
});

const place = (options: { pay?: boolean; method?: string } = {}) =>
  order(one, store.workspaceId, { productId, variantId: null, quantity: 1 }, { pay: false, ...options });
const read = async (id: string) => (await store.get(`/orders/${id}`)).body;
const expire = ({ context, clock }: Feira) => expireUnpaid(context.db, clock);
// Gets a new token, because the tests move the clock past a token's lifetime of two hours.
const fresh = async () => {
  store = await store.withScopes(['orders:read', 'products:read', 'orders:write', 'customers:read']);
};
const balance = async () => (await store.get(`/products/${productId}`)).body.quantity;

test.each(['pix', 'card'])(
  'an unpaid %s order is canceled after two hours, and its stock is returned with an event',
  async (method) => {
    one.clock.stop();
    const [unpaid, paid] = [await place({ method }), await place({ method, pay: true })];
    const { createdAt, expiresAt } = await read(unpaid);
    expect(Math.abs(Date.parse(expiresAt) - one.clock.now() - 2 * HOUR)).toBe(0);
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.parse(createdAt));
    expect((await read(paid)).expiresAt).toBeNull();
    one.clock.forward(2 * HOUR - 1);
    await expire(one);
    await fresh();
    expect((await read(unpaid)).status).toBe('pending');
    one.clock.forward(1);
    const { events } = await observe(one, store, async () => {
      await expire(one);
      return store.get('/orders');
    });
    expect(events).toEqual([
      { event: 'order.canceled', data: { orderId: unpaid, reason: 'expired' } },
      { event: 'stock.updated', data: { id: productId, quantity: 29 } },
    ]);
    expect(await read(unpaid)).toMatchObject({
      status: 'canceled',
      statusShipping: 'canceled',
      canceledAt: expect.any(String),
      paidAt: null,
      expiresAt: null,
    });
    expect((await read(paid)).status).toBe('paid');
  },
);

test('an unpaid boleto order is kept until the end of the fifth business day in the store’s time zone', async () => {
  for (const zone of ['America/Sao_Paulo', 'America/Rio_Branco']) {
    await inTimeZone(one, store, zone);
    const id = await place({ method: 'boleto' });
    const day = addBusinessDays(addBusinessDays(localDay(one.clock.now(), zone), 3), 2);
    const { expiresAt } = await read(id);
    const local = new Date(expiresAt).toLocaleString('sv-SE', { timeZone: zone });
    expect(local).toBe(`${day} 23:59:59`);
    one.clock.forward(Date.parse(expiresAt) - one.clock.now() - 1);
    await expire(one);
    await fresh();
    expect((await read(id)).status).toBe('pending');
    one.clock.forward(1);
    await expire(one);
    expect((await read(id)).status).toBe('canceled');
  }
});

test('two concurrent workers return the stock of each expired order once', async () => {
  for (let index = 0; index < 10; index++) await place();
  one.clock.forward(25 * HOUR);
  await fresh();
  expect(await balance()).toBe(20);
  await Promise.all([expire(one), expire(two), expire(one), expire(two)]);
  expect(await balance()).toBe(30);
  expect((await store.get('/orders?status=canceled')).body.meta.total).toBe(10);
  expect((await dataOf(one, store, 'stock.updated')).at(-1)).toEqual({ id: productId, quantity: 30 });
});

test('a payment that arrives while its order expires is accepted or refunded, and the stock is correct', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 12; index++) ids.push(await place());
  one.clock.forward(25 * HOUR);
  await fresh();
  const payments = await Promise.all(ids.map((id) => transactionOf(one, id)));
  await Promise.all([
    expire(one),
    expire(two),
    ...payments.map((payment, index) => (index % 2 ? one : two).context.gateway.decide(payment, 'paid')),
  ]);
  await Promise.all(
    [one, two].map(({ context }) => finishRefunds(context.db, context.clock, context.gateway)),
  );
  const orders = (await store.get('/orders')).body.data as { id: string; status: string }[];
  const paid = orders.filter(({ status }) => status === 'paid').map(({ id }) => id);
  const canceled = orders.filter(({ status }) => status === 'canceled').map(({ id }) => id);
  expect(paid.length + canceled.length).toBe(12);
  expect(await balance()).toBe(30 - paid.length);
  const given = await one.context.db.store('test').query<{ order_id: string }>(sql`
    select p.order_id from sandbox_refunds r join sandbox_payments p on p.id = r.payment_id
    where p.workspace_id = ${store.workspaceId}`);
  expect(given.map(({ order_id }) => order_id).sort()).toEqual([...canceled].sort());
  expect(await dataOf(one, store, 'order.paid')).toHaveLength(paid.length);
  const [customer] = (await store.get('/customers')).body.data;
  expect(customer.ordersCount).toBe(paid.length);
});

test('a cancellation by the gateway returns the stock immediately, and only once', async () => {
  const id = await place();
  const payment = await transactionOf(one, id);
  await one.context.gateway.decide(payment, 'canceled');
  await one.context.gateway.decide(payment, 'canceled');
  expect(await balance()).toBe(30);
  one.clock.forward(25 * HOUR);
  await expire(one);
  await fresh();
  expect(await balance()).toBe(30);
});

test('an expired order that cannot be canceled does not block the others', async () => {
  const shirt = await newVaried(store, { P: 5 });
  const [only] = (await store.get(`/products/${shirt}/variants`)).body.data;
  const stuck = await order(
    one,
    store.workspaceId,
    { productId: shirt, variantId: only.id, quantity: 1 },
    {
      pay: false,
    },
  );
  const fine = await place();
  one.clock.forward(25 * HOUR);
  await fresh();
  const holder = await two.context.db.store('test').begin();
  await holder.query(sql`select from orders where id = ${stuck} for update`);
  await expect(expire(shortTimeout)).rejects.toThrow('could not be canceled');
  await holder.rollback();
  expect((await store.get(`/orders/${fine}`)).body.status).toBe('canceled');
  expect((await store.get(`/orders/${stuck}`)).body.status).toBe('pending');
  await expire(one);
  expect((await store.get(`/orders/${stuck}`)).body.status).toBe('canceled');
});

test('expired orders that cannot be canceled do not block later ones, even if they fill a whole page', async () => {
  const stuck = [await place(), await place()];
  one.clock.forward(1_000);
  const behind = await place();
  one.clock.forward(25 * HOUR);
  await fresh();
  const holder = await two.context.db.store('test').begin();
  await holder.query(sql`
    select from orders where workspace_id = ${store.workspaceId} and id = any(${stuck}::uuid[]) for update`);
  const round = expireUnpaid(shortTimeout.context.db, one.clock, stuck.length);
  await expect(round).rejects.toThrow('could not be canceled');
  await holder.rollback();
  expect((await read(behind)).status).toBe('canceled');
  for (const id of stuck) expect((await read(id)).status).toBe('pending');
});
