import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct, newVaried } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { Random } from '../support/random.js';
import { RandomWrites } from '../support/random-writes.js';
import { order } from '../support/shop.js';
import { readSnapshot } from '../support/snapshots.js';

let feira: Feira;
let other: Feira;

beforeAll(async () => {
  feira = await openFeira();
  other = await openFeira({ on: feira });
});
afterAll(() => feira.close());

const PRODUCTS = '/products?include=images,variants';

interface Listed {
  id: string;
  name: string;
  productId: string;
}

async function listed(client: StoreClient, path: string): Promise<Listed[]> {
  const answer = await client.get(path);
  expect(answer.status).toBe(200);
  return answer.body.data;
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

/**
 * Compares lists and single records with the records of a snapshot, which are not cached. Then reads all lists a second
 * time, so that more of them are cached before the next write.
 */
async function expectCurrent(client: StoreClient, searched: string): Promise<void> {
  const [products, orders, variants, found] = await Promise.all([
    listed(client, PRODUCTS),
    listed(client, '/orders'),
    listed(client, '/variants'),
    listed(client, `/products?search=${searched}`),
  ]);
  const { records } = await readSnapshot(feira, client, '/products');
  expect(products.toSorted(byId)).toEqual(records.toSorted(byId));
  expect(await singleRecords(client, '/products', products)).toEqual(products);
  const { records: orderRecords } = await readSnapshot(feira, client, '/orders');
  expect(orders.toSorted(byId)).toEqual(orderRecords.toSorted(byId));
  expect(await singleRecords(client, '/orders', orders)).toEqual(orders);
  const varied = products.flatMap(({ id, ...product }) =>
    (product as unknown as { variants: object[] }).variants.map((variant) => ({ productId: id, ...variant })),
  );
  expect(new Set(variants.map((each) => JSON.stringify(each)))).toEqual(
    new Set(varied.map((each) => JSON.stringify(each))),
  );
  const matching = products.filter(({ name }) => name.includes(searched));
  expect(found.map(({ id }) => id)).toEqual(matching.map(({ id }) => id));
  await Promise.all(
    [PRODUCTS, '/orders', '/variants', `/products?search=${searched}`].map((path) => listed(client, path)),
  );
}

async function singleRecords(client: StoreClient, path: string, records: Listed[]): Promise<object[]> {
  const answers = await Promise.all(records.map(({ id }) => client.get(`${path}/${id}`)));
  return answers.map(({ body }) => body);
}

test('cached lists and records are current after each of many random writes through two servers', async () => {
  const store = await feira.store();
  const clients = [store, store.through(other)];
  const sold = await newProduct(store, { name: 'Sold', quantity: 100 });
  const line = { productId: sold, variantId: null, quantity: 1 };
  const orders = [await order(feira, store.workspaceId, line), await order(feira, store.workspaceId, line)];
  const random = new Random(15);
  const source = new RandomWrites(random, orders);
  for (let n = 0; n < 40; n++) {
    const client = random.pick(clients);
    const images = `/products/${sold}/images`;
    if (n % 10 === 3) await client.post(images, { url: `https://cdn.example/${n}.png` });
    else if (n % 10 === 6) await client.delete(`${images}/${(await listed(client, images))[0]!.id}`);
    else if (n % 10 === 9) orders.push(await order(feira, store.workspaceId, line, { pay: n % 20 === 9 }));
    else {
      const write = source.next();
      const answer = await client.call(write.method, write.path, write.body);
      await source.done(client, write, answer as never);
    }
    for (const each of clients) await expectCurrent(each, 'Product 1');
  }
});

test('a list that was requested before is answered without reading the table until something changes', async () => {
  const store = await feira.store();
  const id = await newProduct(store, { name: 'First' });
  await listed(store, '/products');
  await feira.context.db.store('test').transaction(async (tx) => {
    await tx.query(sql`lock table products in access exclusive mode`);
    expect((await listed(store, '/products')).map(({ name }) => name)).toEqual(['First']);
  });
  await store.patch(`/products/${id}`, { name: 'Second' });
  expect((await listed(store, '/products')).map(({ name }) => name)).toEqual(['Second']);
});

test('a product that was requested before is answered without reading its variations until one changes', async () => {
  const store = await feira.store();
  const id = await newVaried(store, { remembered: 1 });
  const first = await store.get(`/products/${id}`);
  await feira.context.db.store('test').transaction(async (tx) => {
    await tx.query(sql`lock table variations in access exclusive mode`);
    const second = await store.get(`/products/${id}`);
    expect([second.body, second.headers.etag]).toEqual([first.body, first.headers.etag]);
    const known = await store.get(`/products/${id}`, { 'if-none-match': first.headers.etag as string });
    expect(known.status).toBe(304);
  });
  await store.patch(`/products/${id}/variants/remembered/stock`, { quantity: 2 });
  const changed = await store.get(`/products/${id}`);
  expect(changed.body.variants).toMatchObject([{ sku: 'remembered', quantity: 2 }]);
  expect(changed.headers.etag).not.toBe(first.headers.etag);
});

test('a cached product is a 404 for another store, and for its own store once it is deleted', async () => {
  const [store, stranger] = [await feira.store(), await feira.store()];
  const id = await newProduct(store);
  for (let n = 0; n < 2; n++) expect((await store.get(`/products/${id}`)).status).toBe(200);
  expect((await stranger.get(`/products/${id}`)).status).toBe(404);
  await store.through(other).delete(`/products/${id}`);
  expect((await store.get(`/products/${id}`)).status).toBe(404);
});

test('a change is visible in the list before and after its event gets a sequence number', async () => {
  const store = await feira.store();
  const id = await newProduct(store, { quantity: 1 });
  const quantity = async () => (await store.get('/products')).body.data[0].quantity;
  for (let next = 2; next < 12; next++) {
    await store.patch(`/products/${id}/stock`, { quantity: next });
    expect([await quantity(), await quantity(), await quantity()]).toEqual([next, next, next]);
    // Reading the feed assigns sequence numbers to the events of the store and removes them from the outbox.
    await store.get('/events');
    expect([await quantity(), await quantity()]).toEqual([next, next]);
  }
});

test('two stores with the same number of changes each get their own list', async () => {
  const stores = [await feira.store(), await feira.store()];
  for (const store of stores) await newProduct(store, { name: `Product of ${store.workspaceId}` });
  for (let n = 0; n < 3; n++)
    for (const store of stores)
      expect((await listed(store, '/products'))[0]!.name).toBe(`Product of ${store.workspaceId}`);
});
