import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Line } from '../../src/catalog/reserve.js';
import type { OrderRequest, PlacedOrder, Placement } from '../../src/checkout/request.js';
import { ShopUses } from '../../src/checkout/shop-use.js';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { dataOf } from '../support/orders.js';
import { BUYER } from '../support/shop.js';

// Orders that arrive at the same time are placed in one transaction.

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
});

const products = (count: number, quantity = 10) =>
  Promise.all(Array.from({ length: count }, () => newProduct(store, { price: 10, quantity })));
const one = (productId: string, quantity = 1): Line => ({ productId, variantId: null, quantity });
const stockOf = async (productId: string) => (await store.get(`/products/${productId}`)).body.quantity;

/** Places orders at the same time, one per list of lines, with the given changes to the requests. */
function place(carts: Line[][], changes: Partial<OrderRequest>[] = []): Promise<Placement>[] {
  return carts.map((lines, index) =>
    feira.context.placement.place(store.workspaceId, {
      checkoutId: randomUUID(),
      lines,
      buyer: { ...BUYER, document: null, email: `buyer${index}@cliente.example` },
      payment: { method: 'pix', installments: 1, gateway: feira.context.gateway },
      service: 'economy',
      ...changes[index],
    }),
  );
}

async function ordersOf(placed: Placement[]) {
  return Promise.all(
    placed.map(async (each) => (await store.get(`/orders/${(each as PlacedOrder).orderId}`)).body),
  );
}

test('orders of different products have one transaction, and each has its number, customer, stock and event', async () => {
  const ids = await products(5);
  const placed = await Promise.all(place(ids.map((id, index) => [one(id, index + 1)])));
  const orders = await ordersOf(placed);
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
  expect(await Promise.all(ids.map(stockOf))).toEqual([9, 8, 7, 6, 5]);
  expect(await dataOf(feira, store, 'order.created')).toEqual(orders.map(({ id }) => ({ orderId: id })));
  expect(await dataOf(feira, store, 'stock.updated')).toHaveLength(5);
});

test('orders of one product are placed one after the other, and each reports its balance', async () => {
  const [id] = await products(1);
  const placed = await Promise.all(place(Array.from({ length: 12 }, () => [one(id!)])));
  expect(placed.filter((each) => 'orderId' in each)).toHaveLength(10);
  expect(placed.filter((each) => 'faults' in each)).toHaveLength(2);
  const balances = (await dataOf(feira, store, 'stock.updated')).map(({ quantity }) => quantity);
  expect(balances).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
});

test('several orders of one customer create the customer once', async () => {
  const ids = await products(4);
  await Promise.all(
    place(
      ids.map((id) => [one(id)]),
      ids.map(() => ({ buyer: BUYER })),
    ),
  );
  expect((await store.get('/customers')).body.data).toHaveLength(1);
  expect((await store.get('/orders')).body.data).toHaveLength(4);
});

describe('an order that is not placed does not affect the others', () => {
  test('if there is too little stock, nothing to buy, a changed price, too many units or a product is gone', async () => {
    const ids = await products(5);
    const missing = randomUUID();
    const carts = [
      [one(ids[0]!)],
      [one(ids[1]!, 11)],
      [],
      [one(ids[2]!)],
      [one(ids[3]!, 101)],
      [one(missing)],
    ];
    const placed = await Promise.all(
      place([...carts, [one(ids[4]!)]], [{}, {}, {}, { agreed: 'another price' }]),
    );
    const created = expect.objectContaining({ repeated: false });
    expect(placed).toEqual([
      created,
      { faults: [{ line: one(ids[1]!, 11), problem: 'short', available: 10 }] },
      { refused: 'empty' },
      { refused: 'changed' },
      { refused: 'too_many_units' },
      { faults: [{ line: one(missing), problem: 'gone', available: 0 }] },
      created,
    ]);
    expect(await Promise.all(ids.map(stockOf))).toEqual([9, 10, 10, 10, 9]);
    const orders = await ordersOf([placed[0]!, placed[6]!]);
    expect(orders.map(({ number }) => number)).toEqual([1001, 1002]);
  });

  test('if its form has already placed an order', async () => {
    const ids = await products(3);
    const checkoutId = 'a form sent twice';
    const [first] = await Promise.all(place([[one(ids[0]!)]], [{ checkoutId }]));
    const [again, other] = await Promise.all(place([[one(ids[1]!)], [one(ids[2]!)]], [{ checkoutId }]));
    expect(again).toEqual({ ...first, repeated: true });
    expect(other).toMatchObject({ repeated: false });
    expect(await Promise.all(ids.map(stockOf))).toEqual([9, 10, 9]);
  });

  test('if its network has reached a limit', async () => {
    const shopUses = new ShopUses(feira.clock);
    const limited = (network: string) => ({ limited: { network, shopUses } });
    const ids = await products(11);
    const carts = ids.map((id) => [one(id)]);
    await Promise.all(
      place(
        carts.slice(0, 10),
        ids.map(() => limited('203.0.113.1')),
      ),
    );
    const [over, other] = await Promise.all(
      place([[one(ids[10]!)], [one(ids[0]!)]], [limited('203.0.113.1'), limited('203.0.113.2')]),
    );
    expect(over).toEqual({ refused: 'address_limit' });
    expect(other).toMatchObject({ repeated: false });
  });

  test('if the database rejects it', async () => {
    const ids = await products(3);
    const impossible = { buyer: { ...BUYER, name: 'PostgreSQL cannot store \0' } };
    const placed = await Promise.allSettled(
      place(
        ids.map((id) => [one(id)]),
        [{}, impossible, {}],
      ),
    );
    expect(placed.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await Promise.all(ids.map(stockOf))).toEqual([9, 10, 9]);
    expect((await store.get('/orders')).body.data).toHaveLength(2);
  });

  test('while it waits for a lock on its product', async () => {
    const ids = await products(3);
    const { db } = feira.context;
    const locks = await db.store('test').begin();
    await locks.query(sql`select from products where id = ${ids[1]!} for update`);
    const [first, waiting, last] = place(ids.map((id) => [one(id)]));
    expect(await Promise.all([first, last])).toEqual([
      expect.objectContaining({ repeated: false }),
      expect.objectContaining({ repeated: false }),
    ]);
    expect(await Promise.all(ids.map(stockOf))).toEqual([9, 10, 9]);
    await locks.rollback();
    expect(await waiting).toMatchObject({ repeated: false });
    expect(await Promise.all(ids.map(stockOf))).toEqual([9, 9, 9]);
  });
});

test('orders of one network are counted exactly', async () => {
  const shopUses = new ShopUses(feira.clock);
  const ids = await products(14);
  const placed = await Promise.all(
    place(
      ids.map((id) => [one(id)]),
      ids.map(() => ({ limited: { network: '203.0.113.9', shopUses } })),
    ),
  );
  expect(placed.filter((each) => 'orderId' in each)).toHaveLength(10);
  expect(placed.filter((each) => 'refused' in each)).toHaveLength(4);
});
