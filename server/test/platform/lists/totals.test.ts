import { afterAll, beforeAll, expect, test } from 'vitest';
import { emit } from '../../../src/events/outbox.js';
import { sql } from '../../../src/platform/db/sql.js';
import { newProduct } from '../../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../../support/feira.js';
import { compareTotals } from '../../support/list-rounds.js';
import { until } from '../../support/process.js';
import { insertProducts } from '../../support/product-rows.js';

let feira: Feira;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());

function rows(count: number): { name: string }[] {
  return Array.from({ length: count }, (_, n) => ({ name: `Seeded ${n}` }));
}

/** Waits until the database maintains the total of the store's products. */
async function keptTotal({ workspaceId }: StoreClient): Promise<void> {
  await until(async () => {
    const [row] = await feira.context.db
      .store('test')
      .query<{ n: number }>(
        sql`select count(*) as n from list_counts where workspace_id = ${workspaceId} and list = 'products' and is_base`,
      );
    return row!.n === 1;
  });
}

async function total(store: StoreClient, query = ''): Promise<number> {
  return (await store.get(`/products${query}`)).body.meta.total;
}

test('after random writes through two servers, totals and pages agree with the tables', async () => {
  await compareTotals(feira, { products: 300, rounds: 6, writesPerRound: 12, seed: 1 });
});

test('a total is correct before and after it is stored', async () => {
  const store = await feira.store();
  await insertProducts(feira, store, rows(250));
  expect(await total(store)).toBe(250);
  await keptTotal(store);
  expect(await total(store)).toBe(250);
  const id = await newProduct(store);
  expect(await total(store)).toBe(251);
  await store.delete(`/products/${id}`);
  expect(await total(store)).toBe(250);
});

test('a product that is not yet committed when the total is first counted is added once it is committed', async () => {
  const store = await feira.store();
  await insertProducts(feira, store, rows(250));
  // The product is written before the count and committed after it.
  await feira.context.db.store('test').transaction(async (tx) => {
    await tx.query(sql`
      insert into products (workspace_id, id, name, price) values (${store.workspaceId}, new_id(), 'Uncommitted', 1)`);
    await emit(tx, store.workspaceId, 'system', [
      { event: 'product.created', data: { name: 'Uncommitted' } },
    ]);
    expect(await total(store)).toBe(250);
    await keptTotal(store);
    expect(await total(store)).toBe(250);
  });
  expect(await total(store)).toBe(251);
});

test('when another server deletes a product, the records on later pages move up by one', async () => {
  const store = await feira.store();
  const other = await openFeira({ on: feira });
  const elsewhere = store.through(other);
  await insertProducts(feira, store, rows(420));
  const idsOf = async (client: StoreClient, page: number): Promise<string[]> =>
    (await client.get(`/products?page=${page}&limit=50`)).body.data.map(({ id }: { id: string }) => id);
  const sixth = await idsOf(store, 6);
  const seventh = await idsOf(store, 7);
  expect(await idsOf(store, 7)).toEqual(seventh);
  await elsewhere.delete(`/products/${(await idsOf(elsewhere, 1))[0]}`);
  expect(await idsOf(store, 6)).toEqual([...sixth.slice(1), seventh[0]]);
  expect(await idsOf(store, 9)).toHaveLength(19);
  await newProduct(elsewhere);
  expect(await idsOf(store, 6)).toEqual(sixth);
  await other.close();
});

test('the total of a search follows renames and deletions by another server', async () => {
  const store = await feira.store();
  const other = await openFeira({ on: feira });
  // The size of this list is not stored and many of its rows match, so the search scans it in its sort order and does
  // not look up the matches in the index. The total is counted separately and remembered.
  const ids: string[] = [];
  for (let n = 0; n < 60; n++) ids.push(await newProduct(store, { name: `Lantern ${n}` }));
  expect(await total(store, '?search=lantern')).toBe(60);
  expect(await total(store, '?search=lantern')).toBe(60);
  await store.through(other).patch(`/products/${ids[0]}`, { name: 'Candle' });
  expect(await total(store, '?search=lantern')).toBe(59);
  await store.through(other).delete(`/products/${ids[1]}`);
  expect(await total(store, '?search=lantern')).toBe(58);
  await other.close();
});

test('a total above 10,000 is capped, and a total of 10,000 is exact', async () => {
  const store = await feira.store();
  await insertProducts(feira, store, rows(10_001));
  expect((await store.get('/products')).body.meta).toMatchObject({ total: 10_000, totalCapped: true });
  await keptTotal(store);
  expect((await store.get('/products')).body.meta).toMatchObject({ total: 10_000, totalCapped: true });
  const [{ id }] = (await store.get('/products?limit=1')).body.data;
  await store.delete(`/products/${id}`);
  const { meta } = (await store.get('/products')).body;
  expect([meta.total, meta.totalCapped]).toEqual([10_000, undefined]);
});

test('merging the stored count changes of a list into one row does not change its total', async () => {
  const store = await feira.store();
  await insertProducts(feira, store, rows(250));
  await total(store);
  await keptTotal(store);
  await Promise.all(Array.from({ length: 20 }, () => newProduct(store)));
  const { autocommit } = feira.context.db.store('test');
  const merge = () => autocommit.query(sql`select merge_list_counts(${store.workspaceId}, 'products')`);
  await Promise.all([merge(), merge(), newProduct(store), total(store)]);
  await merge();
  expect(await total(store)).toBe(271);
  const rest = await autocommit.query(
    sql`select records from list_counts where workspace_id = ${store.workspaceId} and list = 'products'`,
  );
  expect(rest).toHaveLength(2);
});
