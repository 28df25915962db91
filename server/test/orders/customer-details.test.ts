import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { transactionOf } from '../support/orders.js';
import { sharedFeira } from '../support/shared-feira.js';
import { BUYER, order } from '../support/shop.js';

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await sharedFeira();
});
beforeEach(async () => {
  store = await feira.store();
  productId = await newProduct(store, { price: 100, quantity: 1_000 });
});

const place = (buyer: Partial<typeof BUYER>, pay: boolean) =>
  order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 }, { buyer, pay });
const pay = async (orderId: string) =>
  feira.context.gateway.decide(await transactionOf(feira, orderId), 'paid');
const customers = async () => (await store.get('/customers')).body.data;
const STRANGER = {
  name: 'Somebody Else',
  email: 'stranger@mail.example',
  phone: '11900000000',
  address: { ...BUYER.address, street: 'Rua do Estranho', city: 'Recife', state: 'PE' },
};

test('an unpaid order with a customer’s document does not change that customer', async () => {
  await place({}, true);
  const before = await customers();
  const unpaid = await place(STRANGER, false);
  expect(await customers()).toEqual(before);
  expect((await store.get('/customers?search=stranger')).body.data).toEqual([]);
  const { body } = await store.get(`/orders/${unpaid}`);
  expect([body.customer.id, body.customer.name]).toEqual([before[0].id, STRANGER.name]);
});

test('a second unpaid order does not change the customer that the first one created', async () => {
  await place({ name: 'Bia' }, false);
  const before = await customers();
  await place(STRANGER, false);
  expect(await customers()).toEqual(before);
});

test('the name and e-mail of an order become those of the customer when the order is paid', async () => {
  await place({}, true);
  const moved = await place({ name: 'Beatriz Souza', email: 'new@mail.example' }, false);
  await pay(moved);
  const { createdAt } = (await store.get(`/orders/${moved}`)).body;
  expect(await customers()).toMatchObject([
    { name: 'Beatriz Souza', email: 'new@mail.example', ordersCount: 2, lastOrderAt: createdAt },
  ]);
  expect((await store.get('/customers?search=beatriz')).body.data).toHaveLength(1);
});

test('an older order that is paid late counts in the totals, but does not replace newer details', async () => {
  const older = await place({ name: 'Old Name' }, false);
  await place({ name: 'New Name' }, true);
  await pay(older);
  expect(await customers()).toMatchObject([{ name: 'New Name', ordersCount: 2, totalSpent: 225.5 }]);
});

test('the totalSpent of a customer can exceed the maximum of the column total_spent', async () => {
  await place({}, true);
  await feira.context.db.store('test').autocommit.query(sql`
    update customers set total_spent = 99999999999999.99 where workspace_id = ${store.workspaceId}`);
  const last = await place({}, true);
  expect((await store.get(`/orders/${last}`)).body.status).toBe('paid');
  expect((await customers())[0].totalSpent).toBe(100000000000112.73);
});

test('what a server of the previous version adds to the totals of a customer is not lost', async () => {
  await place({}, true);
  // Runs the statement of the previous version. Servers of that version may still run during a rolling upgrade.
  await feira.context.db.store('test').autocommit.query(sql`
    update customers set orders_count = orders_count + 1, total_spent = total_spent + 10
    where workspace_id = ${store.workspaceId}`);
  await place({}, true);
  expect(await customers()).toMatchObject([{ ordersCount: 3, totalSpent: 235.5 }]);
  const [row] = await feira.context.db
    .store('test')
    .query<{ total_spent: number }>(
      sql`select total_spent from customers where workspace_id = ${store.workspaceId}`,
    );
  expect(row!.total_spent).toBe(235.5);
});
