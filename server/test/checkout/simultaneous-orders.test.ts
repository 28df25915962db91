import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Line } from '../../src/catalog/reserve.js';
import type { PlacedOrder } from '../../src/checkout/request.js';
import { ShopUses } from '../../src/checkout/shop-use.js';
import { sql } from '../../src/platform/db/sql.js';
import { newVaried } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { dataOf } from '../support/orders.js';
import { BUYER } from '../support/shop.js';
import { BusyStore, one } from '../support/simultaneous-orders.js';

// Orders that arrive at the same time are placed in one transaction.

let feira: Feira;
let store: StoreClient;
let shop: BusyStore;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
  shop = new BusyStore(feira, store);
});

test('orders of different products have one transaction, and each has its number, customer, stock and event', async () => {
  const ids = await shop.products(5);
  const placed = await Promise.all(shop.place(ids.map((id, index) => [one(id, index + 1)])));
  const orders = await shop.read(placed);
  // All rows of a transaction have the same time.
  expect(new Set(orders.map(({ createdAt }) => createdAt)).size).toBe(1);
  expect(orders.map(({ number }) => number)).toEqual([1001, 1002, 1003, 1004, 1005]);
  for (const [index, { items, customer, subtotal, total, payment }] of orders.entries()) {
    expect(items).toMatchObject([{ productId: ids[index], quantity: index + 1 }]);
    expect(customer.email).toBe(`buyer${index}@cliente.example`);
    expect([subtotal, total]).toEqual([10 * (index + 1), (placed[index] as PlacedOrder).total]);
    expect(payment.transactionId).toBe((placed[index] as PlacedOrder).transactionId);
    expect((await store.get(`/orders?search=buyer${index}@cliente.example`)).body.data).toHaveLength(1);
  }
  expect(new Set(orders.map(({ customer }) => customer.id)).size).toBe(5);
  expect(await shop.stocksOf(ids)).toEqual([9, 8, 7, 6, 5]);
  expect(await dataOf(feira, store, 'order.created')).toEqual(orders.map(({ id }) => ({ orderId: id })));
  expect(await dataOf(feira, store, 'stock.updated')).toHaveLength(5);
  const listed = (await store.get('/orders')).body.data;
  expect(listed.map(({ number }: { number: number }) => number)).toEqual([1005, 1004, 1003, 1002, 1001]);
});

test('orders with different payment methods, and orders of variations, can be placed together', async () => {
  feira.clock.stop();
  const [mug] = await shop.products(1);
  const shirts = await Promise.all([newVaried(store, { P: 5, G: 5 }), newVaried(store, { P: 5, G: 5 })]);
  const variants = await Promise.all(
    shirts.map(async (id) => (await store.get(`/products/${id}/variants`)).body.data),
  );
  const cart = (shirt: number, variant: number): Line[] => [
    { productId: shirts[shirt]!, variantId: variants[shirt][variant].id, quantity: 1 + variant },
  ];
  const gateway = feira.context.gateway;
  const boleto = { payment: { method: 'boleto', installments: 1, gateway } };
  const card = { payment: { method: 'card', installments: 3, gateway } };
  const placed = await Promise.all(shop.place([[one(mug!)], cart(0, 0), cart(1, 1)], [boleto, card]));
  const [first, second, third] = await shop.read(placed);
  expect(new Set([first, second, third].map(({ createdAt }) => createdAt)).size).toBe(1);
  expect(first.payment).toMatchObject({ method: 'boleto', installments: 1 });
  expect(second.payment).toMatchObject({ method: 'card', installments: 3 });
  expect(third.payment).toMatchObject({ method: 'pix', installments: 1 });
  // A boleto expires at the end of a day in the time zone of the store, the others two hours after the checkout.
  expect(first.expiresAt).toMatch(/T02:59:59/);
  const inTwoHours = new Date(feira.clock.now() + 7_200_000).toISOString();
  expect([second.expiresAt, third.expiresAt]).toEqual([inTwoHours, inTwoHours]);
  expect(second.items).toMatchObject([{ variantId: variants[0][0].id, quantity: 1 }]);
  expect(third.items).toMatchObject([{ variantId: variants[1][1].id, quantity: 2 }]);
  const balances = await Promise.all(
    shirts.map(async (id) =>
      (await store.get(`/products/${id}/variants`)).body.data.map(
        (each: { quantity: number }) => each.quantity,
      ),
    ),
  );
  expect(balances).toEqual([
    [4, 5],
    [5, 3],
  ]);
});

test('orders of one product are placed one after the other, and each reports its balance', async () => {
  const [id] = await shop.products(1, 15);
  await Promise.all(shop.place(Array.from({ length: 10 }, () => [one(id!)])));
  const placed = await Promise.all(shop.place(Array.from({ length: 7 }, () => [one(id!)])));
  expect(placed.filter((each) => 'orderId' in each)).toHaveLength(5);
  expect(placed.filter((each) => 'faults' in each)).toHaveLength(2);
  const balances = (await dataOf(feira, store, 'stock.updated')).map(({ quantity }) => quantity);
  expect(balances).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
});

test('several orders of one customer create the customer once', async () => {
  const ids = await shop.products(4);
  await Promise.all(
    shop.place(
      ids.map((id) => [one(id)]),
      ids.map(() => ({ buyer: BUYER })),
    ),
  );
  expect((await store.get('/customers')).body.data).toHaveLength(1);
  expect((await store.get('/orders')).body.data).toHaveLength(4);
});

test('orders that are placed together count for each other’s limit of the shop', async () => {
  const shopUses = new ShopUses(feira.clock);
  const ids = await shop.products(3, 1_000);
  await feira.context.db.store('test').autocommit.query(sql`
    update workspaces set max_units_per_line = 20000, max_units_per_order = 20000 where id = ${store.workspaceId}`);
  await feira.context.db.store('test').autocommit.query(sql`
    update products set quantity = 20000 where workspace_id = ${store.workspaceId}`);
  const placed = await Promise.all(
    shop.place(
      ids.map((id) => [one(id, 9_000)]),
      ids.map((_, index) => ({ limited: { network: `203.0.113.${index}`, shopUses } })),
    ),
  );
  expect(placed).toMatchObject([{ repeated: false }, { repeated: false }, { refused: 'shop_limit' }]);
});

test('orders of one network are counted exactly', async () => {
  const shopUses = new ShopUses(feira.clock);
  const ids = await shop.products(14);
  const placed = await Promise.all(
    shop.place(
      ids.map((id) => [one(id)]),
      ids.map(() => ({ limited: { network: '203.0.113.9', shopUses } })),
    ),
  );
  expect(placed.filter((each) => 'orderId' in each)).toHaveLength(10);
  expect(placed.filter((each) => 'refused' in each)).toHaveLength(4);
});
