import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newProduct, newVaried } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { dataOf } from '../support/orders.js';
import { Random } from '../support/random.js';
import { buy } from '../support/shop.js';
import { sized } from '../support/sized.js';

// Many buyers order the same products through two servers while an ERP keeps changing the stock. Set FEIRA_ROUNDS=100
// for a long run.

const ROUNDS = sized(1, 2, 'FEIRA_ROUNDS');
const BUYERS = sized(80, 200);
const STOCK = sized(20, 50);

let one: Feira;
let two: Feira;

beforeAll(async () => {
  one = await openFeira();
  two = await openFeira({ on: one });
});
afterAll(() => one.close());

interface SellableStock {
  productId: string;
  variantId: string | null;
  sku: string;
}

/** Changes a balance as an ERP does. Returns the difference, or 0 if the entry was rejected. */
async function erpWrites(store: StoreClient, { sku }: SellableStock, random: Random): Promise<number> {
  if (random.below(2) === 0) {
    const delta = random.below(21) - 10;
    const { status, body } = await store.patch('/stock', { entries: [{ sku, delta }] });
    expect(status).toBe(200);
    return body.data[0].ok ? delta : 0;
  }
  // An entry with ifQuantity is accepted only if the balance is `from`, so the difference is known.
  const from = random.below(STOCK);
  const to = random.below(STOCK);
  const { status, body } = await store.patch('/stock', {
    entries: [{ sku, quantity: to, ifQuantity: from }],
  });
  expect(status).toBe(200);
  return body.data[0].ok ? to - from : 0;
}

/**
 * Tries to buy one unit and returns the number of units bought. Any result other than an order or the problem `short`
 * (not enough stock) fails the test.
 */
async function buyOne(
  feira: Feira,
  workspaceId: string,
  { productId, variantId }: SellableStock,
): Promise<number> {
  const got = await buy(feira, workspaceId, { lines: [{ productId, variantId, quantity: 1 }] });
  if ('faults' in got) expect(got.faults).toMatchObject([{ problem: 'short', available: 0 }]);
  return 'faults' in got ? 0 : 1;
}

async function race(
  createSellables: (store: StoreClient) => Promise<SellableStock[]>,
  seed: number,
): Promise<void> {
  const random = new Random(seed);
  const store = await one.store();
  const both = [store, store.through(two)];
  const sellables = await createSellables(store);
  const books = new Map(sellables.map(({ sku }) => [sku, { sold: 0, written: 0 }]));
  const buyers = Array.from({ length: BUYERS }, async (_, index) => {
    const at = sellables[index % sellables.length]!;
    const got = await buyOne(index % 4 < 2 ? one : two, store.workspaceId, at);
    books.get(at.sku)!.sold += got;
  });
  const erp = Array.from({ length: 40 }, async (_, index) => {
    const at = sellables[index % sellables.length]!;
    const difference = await erpWrites(both[index % 2]!, at, random);
    books.get(at.sku)!.written += difference;
  });
  await Promise.all([...buyers, ...erp]);

  const sold = [...books.values()].reduce((sum, book) => sum + book.sold, 0);
  expect(sold).toBeGreaterThan(0);
  expect(await dataOf(one, store, 'order.created')).toHaveLength(sold);
  expect((await store.get('/orders?limit=1')).body.meta.total).toBe(sold);
  const reported = await dataOf(one, store, 'stock.updated');
  expect(reported.filter(({ quantity }) => (quantity as number) < 0)).toEqual([]);
  for (const { sku, productId, variantId } of sellables) {
    const book = books.get(sku)!;
    const final = STOCK + book.written - book.sold;
    expect(await balanceOf(store, productId, variantId)).toBe(final);
    const last = reported.findLast(
      ({ id, sku: of }) => id === productId && (variantId === null || of === sku),
    );
    expect(last?.quantity).toBe(final);
  }
}

async function balanceOf(store: StoreClient, productId: string, variantId: string | null): Promise<number> {
  const { body } = await store.get(`/products/${productId}`);
  if (variantId === null) return body.quantity;
  const variants = body.variants as { id: string; quantity: number }[];
  expect(body.quantity).toBe(variants.reduce((sum, { quantity }) => sum + quantity, 0));
  return variants.find(({ id }) => id === variantId)!.quantity;
}

describe(`${BUYERS} buyers for a stock of ${STOCK}, ${ROUNDS} rounds`, () => {
  test('with one simple product: nothing is sold twice and the quantities add up', {
    timeout: 1_800_000,
  }, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await race(async (store) => {
        const productId = await newProduct(store, { sku: 'S', quantity: STOCK });
        return [{ productId, variantId: null, sku: 'S' }];
      }, round);
    }
  });

  test('with a product and two variations: every balance is correct', { timeout: 1_800_000 }, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await race(async (store) => {
        const simple = await newProduct(store, { sku: 'S', quantity: STOCK });
        const productId = await newVaried(store, { P: STOCK, G: STOCK });
        const variants = (await store.get(`/products/${productId}/variants`)).body.data;
        return [
          { productId: simple, variantId: null, sku: 'S' },
          ...variants.map(({ id, sku }: { id: string; sku: string }) => ({ productId, variantId: id, sku })),
        ];
      }, 1_000 + round);
    }
  });
});

test('when orders and an ERP change a balance at the same time, the last event has the final balance', async () => {
  const store = await one.store();
  const productId = await newProduct(store, { quantity: STOCK });
  const sellable = { productId, variantId: null, sku: '' };
  const sold = Array.from({ length: 100 }, (_, i) => buyOne(i % 2 ? one : two, store.workspaceId, sellable));
  const set = Array.from({ length: 30 }, async (_, index) => {
    const { status } = await store.patch(`/products/${productId}/stock`, { quantity: index % 7 });
    expect(status).toBe(200);
  });
  await Promise.all([...sold, ...set]);
  const reported = await dataOf(one, store, 'stock.updated');
  expect(reported.at(-1)!.quantity).toBe(await balanceOf(store, productId, null));
  // Each sale must be reported as a balance that is one lower than the previous one. ERP writes may also lower the
  // balance by one, so there may be more such events than orders.
  const quantities = [STOCK, ...reported.map(({ quantity }) => quantity as number)];
  const drops = quantities.filter((quantity, index) => index > 0 && quantity === quantities[index - 1]! - 1);
  const orders = (await store.get('/orders?limit=1')).body.meta.total;
  expect(drops.length).toBeGreaterThanOrEqual(orders);
});

test('carts that list the same products in different sequences never deadlock', async () => {
  const store = await one.store();
  const ids = await Promise.all(Array.from({ length: 4 }, () => newProduct(store, { quantity: 1_000 })));
  const random = new Random(5);
  const carts = Array.from({ length: 120 }, (_, index) => {
    const lines = [...ids]
      .sort(() => random.below(3) - 1)
      .map((productId) => ({ productId, variantId: null, quantity: 1 + random.below(3) }));
    return buy(index % 2 ? one : two, store.workspaceId, { lines });
  });
  const placed = await Promise.all(carts);
  expect(placed.filter((each) => 'faults' in each)).toEqual([]);
  const pages = await Promise.all([1, 2].map((page) => store.get(`/orders?limit=100&page=${page}`)));
  const numbers = pages.flatMap(({ body }) => body.data.map(({ number }: { number: number }) => number));
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, index) => 1001 + index));
});

test('the stock must be sufficient for the sum of two lines with the same product', async () => {
  const store = await one.store();
  const productId = await newProduct(store, { quantity: 10 });
  const line = (quantity: number) => ({ productId, variantId: null, quantity });
  const short = await buy(one, store.workspaceId, { lines: [line(6), line(5)] });
  expect(short).toEqual({ faults: [{ line: line(11), problem: 'short', available: 10 }] });
  const placed = await buy(one, store.workspaceId, { lines: [line(6), line(4)] });
  const { body } = await store.get(`/orders/${(placed as { orderId: string }).orderId}`);
  expect(body.items).toMatchObject([{ productId, quantity: 10 }]);
  expect((await store.get(`/products/${productId}`)).body.quantity).toBe(0);
});

test('the same form sent 30 times concurrently creates one order, and another store accepts the same checkout id', async () => {
  const store = await one.store();
  const productId = await newProduct(store, { quantity: 50 });
  const sent = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      buy(index % 2 ? one : two, store.workspaceId, {
        lines: [{ productId, variantId: null, quantity: 2 }],
        checkoutId: 'the same form',
      }),
    ),
  );
  expect(new Set(sent.map((each) => (each as { orderId: string }).orderId)).size).toBe(1);
  expect(sent.filter((each) => !(each as { repeated: boolean }).repeated)).toHaveLength(1);
  expect((await store.get(`/products/${productId}`)).body.quantity).toBe(48);
  expect(await dataOf(one, store, 'order.created')).toHaveLength(1);
  const other = await one.store();
  const theirs = await newProduct(other, { quantity: 1 });
  const lines = [{ productId: theirs, variantId: null, quantity: 1 }];
  const elsewhere = await buy(one, other.workspaceId, { lines, checkoutId: 'the same form' });
  expect(elsewhere).toMatchObject({ repeated: false });
  expect((await other.get('/orders')).body.data).toMatchObject([{ number: 1001 }]);
});
