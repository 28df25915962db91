import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { Random } from '../support/random.js';
import { RandomWrites } from '../support/random-writes.js';
import { order } from '../support/shop.js';

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

/**
 * Compares the lists of products and orders with single records, which are not cached, and the lists of variations and
 * search results with the list of products. Then reads all lists a second time, so that their responses are cached
 * before the next write.
 */
async function expectCurrent(client: StoreClient, searched: string): Promise<void> {
  const [products, orders, variants, found] = await Promise.all([
    listed(client, PRODUCTS),
    listed(client, '/orders'),
    listed(client, '/variants'),
    listed(client, `/products?search=${searched}`),
  ]);
  const details = await Promise.all(products.map(({ id }) => client.get(`/products/${id}`)));
  expect(products).toEqual(details.map(({ body }) => body));
  const single = await Promise.all(orders.map(({ id }) => client.get(`/orders/${id}`)));
  expect(orders).toEqual(single.map(({ body }) => body));
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

test('cached lists agree with the single records after each of many random writes through two servers', async () => {
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

test('a list that was requested twice is answered without reading the table until something changes', async () => {
  const store = await feira.store();
  const id = await newProduct(store, { name: 'First' });
  for (let n = 0; n < 2; n++) await listed(store, '/products');
  await feira.context.db.store('test').transaction(async (tx) => {
    await tx.query(sql`lock table products in access exclusive mode`);
    expect((await listed(store, '/products')).map(({ name }) => name)).toEqual(['First']);
  });
  await store.patch(`/products/${id}`, { name: 'Second' });
  expect((await listed(store, '/products')).map(({ name }) => name)).toEqual(['Second']);
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
