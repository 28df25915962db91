import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Notification } from '../../src/payments/gateway.js';
import { signNotification } from '../../src/payments/notifications.js';
import { Signer } from '../../src/platform/crypto/signer.js';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient, TEST_SECRET } from '../support/feira.js';
import { dataOf, transactionOf } from '../support/orders.js';
import { buy, order } from '../support/shop.js';

// Notifications that arrive at the same time are applied in one transaction.

const TOTAL = 62.75;
const SIGNER = new Signer([TEST_SECRET]);

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
  productId = await newProduct(store, { price: 50, quantity: 100 });
});

/** Places an unpaid order of the customer with this e-mail. */
const place = (email: string) =>
  order(
    feira,
    store.workspaceId,
    { productId, variantId: null, quantity: 1 },
    { pay: false, buyer: { document: null, email } },
  );
const read = async (id: string) => (await store.get(`/orders/${id}`)).body;

async function paymentOf(orderId: string, change: Partial<Notification> = {}): Promise<Notification> {
  const transactionId = await transactionOf(feira, orderId);
  const { workspaceId } = store;
  const paid = { id: `${transactionId}:paid`, type: 'paid', amount: TOTAL, refundedInAll: 0 } as const;
  return { ...paid, workspaceId, orderId, transactionId, ...change };
}

/** Delivers notifications at the same time. Returns whether each was accepted. */
async function sendAll(notifications: Notification[]): Promise<boolean[]> {
  const sent = notifications.map((notification) =>
    feira.context.gateway.receive(signNotification(SIGNER, notification, feira.clock.now())),
  );
  return (await Promise.allSettled(sent)).map(({ status }) => status === 'fulfilled');
}

async function attentions(): Promise<Record<string, string>> {
  const rows = await feira.context.db.store('test').query<{ id: string; attention: string }>(sql`
    select id, attention from payment_notifications
    where workspace_id = ${store.workspaceId} and attention is not null`);
  return Object.fromEntries(rows.map(({ id, attention }) => [id, attention]));
}

test('payments of different customers are applied in one transaction, each with its event and its customer', async () => {
  const emails = ['ana', 'bia', 'caio', 'davi'].map((name) => `${name}@cliente.example`);
  const ids = await Promise.all(emails.map(place));
  expect(await sendAll(await Promise.all(ids.map((id) => paymentOf(id))))).toEqual([true, true, true, true]);
  const orders = await Promise.all(ids.map(read));
  expect(orders.map(({ status }) => status)).toEqual(['paid', 'paid', 'paid', 'paid']);
  // All rows of a transaction have the same time.
  expect(new Set(orders.map(({ paidAt }) => paidAt)).size).toBe(1);
  const paid = (await dataOf(feira, store, 'order.paid')).map(({ orderId }) => orderId);
  expect(paid.sort()).toEqual([...ids].sort());
  const customers = (await store.get('/customers')).body.data;
  expect(customers).toHaveLength(4);
  for (const { ordersCount, totalSpent } of customers) expect([ordersCount, totalSpent]).toEqual([1, TOTAL]);
});

test('payments of one customer are all counted', async () => {
  const ids = [];
  for (let count = 0; count < 5; count++) ids.push(await place('ana@cliente.example'));
  await sendAll(await Promise.all(ids.map((id) => paymentOf(id))));
  const [customer] = (await store.get('/customers')).body.data;
  expect([customer.ordersCount, customer.totalSpent]).toEqual([5, 5 * TOTAL]);
  expect(await dataOf(feira, store, 'order.paid')).toHaveLength(5);
});

test('an unusual notification has the same effect as if it had arrived alone', async () => {
  const emails = Array.from({ length: 6 }, (_, index) => `buyer${index}@cliente.example`);
  const ids = await Promise.all(emails.map(place));
  const [paid, low, high, canceled, refunded, repeated] = ids as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  await sendAll([await paymentOf(canceled, { id: 'cancel', type: 'canceled' }), await paymentOf(repeated)]);
  await sendAll([
    await paymentOf(paid),
    await paymentOf(low, { id: 'low', amount: 1 }),
    await paymentOf(high, { id: 'high', amount: 100 }),
    await paymentOf(canceled, { id: 'late' }),
    await paymentOf(refunded, { refundedInAll: TOTAL }),
    await paymentOf(repeated),
    await paymentOf(paid, { id: 'unknown', orderId: store.workspaceId }),
  ]);
  const statuses = await Promise.all(ids.map(async (id) => (await read(id)).status));
  expect(statuses).toEqual(['paid', 'pending', 'paid', 'canceled', 'refunded', 'paid']);
  expect(await attentions()).toEqual({
    low: 'amount_differs',
    high: 'amount_differs',
    late: 'paid_after_cancel',
    unknown: 'unknown_order',
  });
  expect(await dataOf(feira, store, 'order.paid')).toHaveLength(4);
});

test('several notifications about one order are applied one after the other', async () => {
  const id = await place('ana@cliente.example');
  const first = await paymentOf(id);
  await sendAll([first, first, { ...first, id: 'refund', type: 'refunded', refundedInAll: TOTAL }, first]);
  expect(await read(id)).toMatchObject({ status: 'refunded', refundedAmount: TOTAL });
  expect(await dataOf(feira, store, 'order.paid')).toHaveLength(1);
  expect(await dataOf(feira, store, 'order.refunded')).toHaveLength(1);
});

test('a notification whose order is locked does not delay the others', async () => {
  const ids = await Promise.all(['ana', 'bia', 'caio'].map((name) => place(`${name}@cliente.example`)));
  const payments = await Promise.all(ids.map((id) => paymentOf(id)));
  const locks = await feira.context.db.store('test').begin();
  await locks.query(sql`select from orders where id = ${ids[1]!} for update`);
  const sent = payments.map((payment) => sendAll([payment]));
  expect(await Promise.all([sent[0], sent[2]])).toEqual([[true], [true]]);
  const statuses = async () => (await Promise.all(ids.map(read))).map(({ status }) => status);
  expect(await statuses()).toEqual(['paid', 'pending', 'paid']);
  await locks.rollback();
  expect(await sent[1]).toEqual([true]);
  expect(await statuses()).toEqual(['paid', 'paid', 'paid']);
});

test('of two notifications with one id, only the first is applied', async () => {
  const ids = await Promise.all(['ana', 'bia'].map((name) => place(`${name}@cliente.example`)));
  await sendAll(await Promise.all(ids.map((id) => paymentOf(id, { id: 'the-same' }))));
  expect((await Promise.all(ids.map(read))).map(({ status }) => status)).toEqual(['paid', 'pending']);
});

test('payments, cancellations, orders and stock writes at the same time do not deadlock', async () => {
  const second = await openFeira({ on: feira });
  const products = await Promise.all(
    ['A', 'B', 'C'].map((sku) => newProduct(store, { sku, price: 50, quantity: 1_000 })),
  );
  const cart = (reverse: boolean) =>
    (reverse ? [...products].reverse() : products).map((id) => ({
      productId: id,
      variantId: null,
      quantity: 1,
    }));
  const buyer = (index: number) => ({ document: null, email: `buyer${index % 4}@cliente.example` });
  const buyAt = async (server: Feira, index: number) => {
    const placed = await buy(server, store.workspaceId, {
      lines: cart(index % 2 === 0),
      buyer: buyer(index),
    });
    if (!('orderId' in placed)) throw new Error('nothing was bought');
    return placed;
  };
  const placed = [];
  for (let index = 0; index < 24; index++) placed.push(await buyAt(feira, index));
  const reports = placed.map(async ({ orderId, total }, index) => {
    const type = index % 3 === 0 ? 'canceled' : 'paid';
    const notification = await paymentOf(orderId, { id: `${orderId}:${type}`, type, amount: total });
    const signed = signNotification(SIGNER, notification, feira.clock.now());
    await (index % 2 ? feira : second).context.gateway.receive(signed);
  });
  const orders = Array.from({ length: 24 }, (_, index) => buyAt(index % 2 ? feira : second, index));
  const writes = Array.from({ length: 24 }, async () => {
    const entries = ['C', 'A', 'B'].map((sku) => ({ sku, delta: 1 }));
    expect((await store.patch('/stock', { entries })).status).toBe(200);
  });
  await Promise.all([...reports, ...orders, ...writes]);
  const statuses = (await Promise.all(placed.map(({ orderId }) => read(orderId)))).map(
    ({ status }) => status,
  );
  expect(statuses).toEqual(placed.map((_, index) => (index % 3 === 0 ? 'canceled' : 'paid')));
  for (const id of products)
    expect((await store.get(`/products/${id}`)).body.quantity).toBe(1_000 - 24 + 8 - 24 + 24);
});

test('a notification that the database rejects does not affect the others', async () => {
  const { db } = feira.context;
  const ids = await Promise.all(['ana', 'bia', 'caio'].map((name) => place(`${name}@cliente.example`)));
  await db.store('test').autocommit.query(sql`
    alter table payment_notifications add constraint rejected check (id <> 'rejected')`);
  try {
    const accepted = await sendAll([
      await paymentOf(ids[0]!),
      await paymentOf(ids[1]!, { id: 'rejected' }),
      await paymentOf(ids[2]!),
    ]);
    expect(accepted).toEqual([true, false, true]);
    const orders = await Promise.all(ids.map(read));
    expect(orders.map(({ status }) => status)).toEqual(['paid', 'pending', 'paid']);
  } finally {
    await db.store('test').autocommit.query(sql`alter table payment_notifications drop constraint rejected`);
  }
});
