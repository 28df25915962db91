import { beforeAll, expect, test } from 'vitest';
import { raw, sql } from '../../src/platform/db/sql.js';
import { newProduct, newVaried } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { Random } from '../support/random.js';
import { RandomWrites } from '../support/random-writes.js';
import { sharedFeira } from '../support/shared-feira.js';
import { order } from '../support/shop.js';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
});

/** Makes the rows of the store look as if they had not changed since migrations 0086 and 0087. */
async function forgetEnds(): Promise<void> {
  await feira.context.db.store('test').transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`update products set document_end = null where workspace_id = ${store.workspaceId}`);
    await tx.query(sql`update variations set document_end = null where workspace_id = ${store.workspaceId}`);
  });
}

/** Returns the number of products and variations of the store that have a stored end. */
async function storedEnds(): Promise<number> {
  const [row] = await feira.context.db.store('test').query<{ ends: number }>(sql`
    select (select count(document_end) from products where workspace_id = ${store.workspaceId})::integer
      + (select count(document_end) from variations where workspace_id = ${store.workspaceId})::integer as ends`);
  return row!.ends;
}

async function details(): Promise<object[]> {
  const { body } = await store.get('/products?limit=100');
  const answers = await Promise.all(body.data.map(({ id }: { id: string }) => store.get(`/products/${id}`)));
  return answers.map(({ status, body: product, headers }) => ({ status, product, etag: headers.etag }));
}

test('after any writes, the stored end of products and variations is what a read would build', async () => {
  const fiscal = { ncm: '01012100', cest: '0100100', fiscalOrigin: 0 };
  const sold = await newProduct(store, { name: 'Sold', quantity: 50, ...fiscal });
  const pictured = await newProduct(store, fiscal);
  const varied = await newVaried(store, { 'stored-1': 3, 'stored-2': 0, 'stored-3': 1 });
  const line = { productId: sold, variantId: null, quantity: 1 };
  const writes = new RandomWrites(new Random(86), [await order(feira, store.workspaceId, line)]);
  for (let n = 0; n < 60; n++) {
    const write = writes.next();
    const answer = await store.call(write.method, write.path, write.body);
    await writes.done(store, write, answer as never);
  }
  // Rows whose last change is one that the random writes seldom make.
  await order(feira, store.workspaceId, line);
  await store.patch(`/products/${sold}`, { ncm: null });
  await store.post(`/products/${pictured}/images`, { url: 'https://cdn.example/a.png' });
  await store.patch(`/products/${pictured}/stock`, { quantity: 6 });
  await store.patch(`/products/${varied}/variants/stored-1/stock`, { quantity: 8 });
  await store.patch(`/products/${varied}/variants`, [{ sku: 'stored-2', price: 3 }]);
  await store.patch('/stock', { entries: [{ sku: 'stored-3', delta: 4 }] });

  const withStoredEnds = await details();
  expect(await storedEnds()).toBeGreaterThan(withStoredEnds.length);
  await forgetEnds();
  expect(await storedEnds()).toBe(0);
  expect(await details()).toEqual(withStoredEnds);
});

test('a change of any field in the end of a product stores it again', async () => {
  const set = async (id: string, assignment: string) =>
    feira.context.db
      .store('test')
      .autocommit.query(
        sql`update products set ${raw(assignment)} where workspace_id = ${store.workspaceId} and id = ${id}`,
      );
  const changes = [
    "ncm = '01012100'",
    "cest = '0100100'",
    'fiscal_origin = 8',
    'quantity = 77',
    'has_variants = true',
    "updated_at = '2020-01-31'",
  ];
  for (const change of changes) await set(await newProduct(store), change);
  const withStoredEnds = await details();
  await forgetEnds();
  expect(await details()).toEqual(withStoredEnds);
});

test('a variation that is inserted with a time, as in a restore, keeps it', async () => {
  const id = await newVaried(store, { restored: 2 });
  const { body: before } = await store.get(`/products/${id}/variants`);
  await feira.context.db.store('test').transaction(async (tx) => {
    await tx.query(sql`create temporary table copied on commit drop as
      select * from variations where workspace_id = ${store.workspaceId} and product_id = ${id}`);
    await tx.query(
      sql`delete from variations where workspace_id = ${store.workspaceId} and product_id = ${id}`,
    );
    await tx.query(sql`update copied set updated_at = '2020-01-31T00:00:00.000Z'`);
    await tx.query(sql`insert into variations select * from copied`);
  });
  const { body: after } = await store.get(`/products/${id}/variants`);
  const [variation] = before.data;
  expect(after.data).toEqual([{ ...variation, updatedAt: '2020-01-31T00:00:00.000Z' }]);
});

test('a product and a variation without a stored end get one with their next change', async () => {
  const simple = await newProduct(store, { quantity: 1 });
  const varied = await newVaried(store, { 'without-end': 1 });
  await forgetEnds();
  const written = await store.patch(`/products/${simple}/stock`, { quantity: 7 });
  expect(written.body.quantity).toBe(7);
  // The stock of a variation is also part of the quantity of its product.
  await store.patch(`/products/${varied}/variants/without-end/stock`, { quantity: 5 });
  expect(await storedEnds()).toBe(3);
  expect((await store.get(`/products/${simple}`)).body).toMatchObject(written.body);
  const { body } = await store.get(`/products/${varied}`);
  expect(body).toMatchObject({ quantity: 5, variants: [{ sku: 'without-end', quantity: 5 }] });
});
