import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct, newVaried, sizes } from '../support/catalog.js';
import { type Answer, type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { Random } from '../support/random.js';

// Two servers share one database. The database must resolve conflicts between them, whatever the timing is.

let one: Feira;
let two: Feira;
let store: StoreClient;
let random: Random;
/** Returns a client of the same store that uses one of the two servers at random. */
let either: () => StoreClient;

beforeAll(async () => {
  one = await openFeira();
  two = await openFeira({ on: one });
});
afterAll(() => one.close());

async function fresh(seed: number): Promise<void> {
  store = await one.store();
  const other = store.through(two);
  random = new Random(seed);
  either = () => random.pick([store, other]);
}

function times<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)));
}

function tally(values: (string | number | undefined)[]): Record<string, number> {
  return values.reduce<Record<string, number>>((counts, value) => {
    counts[String(value)] = (counts[String(value)] ?? 0) + 1;
    return counts;
  }, {});
}

const statuses = (answers: Answer[]) => tally(answers.map(({ status }) => status));

async function variationsOf(id: string): Promise<{ id: string; sku: string; quantity: number }[]> {
  return (await store.get(`/products/${id}/variants`)).body.data;
}

describe('a product name', () => {
  test('is assigned to exactly one of 30 concurrent creations', async () => {
    await fresh(1);
    const answers = await times(30, () => either().post('/products', { name: 'Only one', price: 1 }));
    expect(statuses(answers)).toEqual({ 201: 1, 409: 29 });
    expect((await store.get('/products')).body.meta.total).toBe(1);
    expect(await one.events(store.workspaceId)).toHaveLength(1);
  });

  test('is assigned to exactly one of 10 concurrent renames', async () => {
    await fresh(2);
    const ids = await times(10, () => newProduct(store));
    const renamed = await Promise.all(ids.map((id) => either().patch(`/products/${id}`, { name: 'Wanted' })));
    expect(statuses(renamed)).toEqual({ 200: 1, 409: 9 });
  });

  test("is refused to two products that concurrently request each other's names", async () => {
    await fresh(8);
    const [a, b] = [await newProduct(store, { name: 'A' }), await newProduct(store, { name: 'B' })];
    // PostgreSQL inserts index entries in the order in which the indexes were created. A slow index before the unique
    // one prolongs a race window that otherwise lasts microseconds.
    await one.context.db.store('test').autocommit.query(sql`
      create function slowly(value text) returns text language plpgsql immutable
      as $$ begin perform pg_sleep(0.05); return value; end $$`);
    await one.context.db.store('test').autocommit.query(sql`create index slow on products (slowly(name))`);
    await one.context.db.store('test').autocommit.query(sql`drop index products_name`);
    await one.context.db
      .store('test')
      .autocommit.query(sql`create unique index products_name on products (workspace_id, name)`);
    const swaps = await Promise.all([
      store.patch(`/products/${a}`, { name: 'B' }),
      store.through(two).patch(`/products/${b}`, { name: 'A' }),
    ]);
    await one.context.db.store('test').autocommit.query(sql`drop index slow`);
    expect(statuses(swaps)).toEqual({ 409: 2 });
  });
});

describe('a balance', () => {
  test('is exact after concurrent changes and never goes below zero', async () => {
    await fresh(3);
    const id = await newVaried(store, { A: 20, B: 0 });
    const simple = await newProduct(store, { sku: 'S', quantity: 20 });
    const taken = await times(60, (index) =>
      either().patch('/stock', { entries: [{ sku: index % 2 ? 'A' : 'S', delta: -1 }] }),
    );
    expect(tally(taken.map(({ body }) => body.data[0].code))).toEqual({ undefined: 40, below_zero: 20 });
    const added = await times(60, (index) =>
      either().patch('/stock', {
        entries: (index % 2 ? ['A', 'S', 'B'] : ['B', 'S', 'A']).map((sku) => ({ sku, delta: index })),
      }),
    );
    expect(statuses(added)).toEqual({ 200: 60 });
    const sum = (59 * 60) / 2;
    expect((await variationsOf(id)).map(({ quantity }) => quantity)).toEqual([sum, sum]);
    expect((await store.get(`/products/${id}`)).body.quantity).toBe(2 * sum);
    expect((await store.get(`/products/${simple}`)).body.quantity).toBe(sum);
  });

  test('can be set by 120 concurrent calls, after which the quantity of the product is the sum of its variations', async () => {
    await fresh(9);
    const id = await newVaried(store, { A: 1, B: 1 });
    const answers = await times(120, (index) =>
      either().patch(`/products/${id}/variants/${index % 3 ? 'A' : 'B'}/stock`, {
        quantity: (index % 2) * 1_000,
      }),
    );
    expect(statuses(answers)).toEqual({ 200: 120 });
    const sum = (await variationsOf(id)).reduce((total, { quantity }) => total + quantity, 0);
    expect((await store.get(`/products/${id}`)).body.quantity).toBe(sum);
  });

  test('is set by exactly one of 50 concurrent calls with the same ifQuantity', async () => {
    await fresh(4);
    await newVaried(store, { A: 7 });
    const answers = await times(50, (index) =>
      either().patch('/stock', { entries: [{ sku: 'A', quantity: 100 + index, ifQuantity: 7 }] }),
    );
    expect(tally(answers.map(({ body }) => body.data[0].code))).toEqual({
      undefined: 1,
      quantity_mismatch: 49,
    });
  });

  test('can be set by sku at any time while two variations keep swapping their skus', async () => {
    await fresh(5);
    const id = await newVaried(store, { A: 1, B: 2 });
    const swap = [
      { sku: 'A', setSku: 'B' },
      { sku: 'B', setSku: 'A' },
    ];
    const answers = await times(120, (index) =>
      index % 2
        ? either().patch(`/products/${id}/variants`, swap)
        : either().patch(`/products/${id}/variants/${random.pick(['A', 'B'])}/stock`, { quantity: index }),
    );
    expect(statuses(answers)).toEqual({ 200: 120 });
    const variations = await variationsOf(id);
    const sum = variations.reduce((total, { quantity }) => total + quantity, 0);
    expect((await store.get(`/products/${id}`)).body.quantity).toBe(sum);
  });
});

describe('a sku', () => {
  test('is never assigned to two variations of a product by concurrent calls', async () => {
    await fresh(6);
    const id = await newVaried(store, { A: 1, B: 2, C: 3, D: 4 });
    const ids = (await variationsOf(id)).map((variation) => variation.id);
    const same = await Promise.all(
      ids.map((each) => either().patch(`/products/${id}/variants`, [{ id: each, setSku: 'X' }])),
    );
    expect(statuses(same)).toEqual({ 200: 1, 409: 3 });
    const any = await times(100, () =>
      either().patch(`/products/${id}/variants`, [
        { id: random.pick(ids), setSku: random.pick(['A', 'B', 'C', 'D', 'X', null]) },
      ]),
    );
    expect(any.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const skus = (await variationsOf(id)).map(({ sku }) => sku).filter((sku) => sku !== null);
    expect(new Set(skus).size).toBe(skus.length);
  });
});

describe('a product that is deleted while its variations are written', () => {
  test('leaves no rows', async () => {
    await fresh(7);
    const ids = await times(12, () => newProduct(store));
    const answers = await Promise.all(
      ids.flatMap((id) => [
        either().put(`/products/${id}/variants`, sizes({ A: 1 })),
        either().put(`/products/${id}/variants`, sizes({ A: 1, B: 2 })),
        either().delete(`/products/${id}`),
        either().put(`/products/${id}/variants`, sizes({ A: 3 })),
        either().patch(`/products/${id}/variants/A/stock`, { quantity: 9 }),
        either().delete(`/products/${id}`),
      ]),
    );
    expect(answers.filter(({ status }) => ![200, 404, 422].includes(status))).toEqual([]);
    expect(answers.filter(({ body }) => body.deleted)).toHaveLength(12);
    for (const table of [
      sql`select from variations`,
      sql`select from product_search`,
      sql`select from products`,
    ]) {
      expect(
        await one.context.db.store('test').query(sql`${table} where workspace_id = ${store.workspaceId}`),
      ).toEqual([]);
    }
    const deleted = (await one.events(store.workspaceId)).filter(({ event }) => event === 'product.deleted');
    expect(deleted).toHaveLength(12);
  });
});
