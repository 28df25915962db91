import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newProduct } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { order } from '../support/shop.js';

let first: PostgresCluster;
let second: PostgresCluster;
let original: Feira;
let store: StoreClient;
let productId: string;
let dumps = 0;

beforeAll(async () => {
  first = PostgresCluster.start();
  second = PostgresCluster.start();
  original = await openFeira({ connection: await first.createDatabase('original') });
}, 120_000);
afterAll(async () => {
  await original?.close();
  second?.close();
  first?.close();
});
beforeEach(async () => {
  store = await original.store();
  productId = await newProduct(store, { quantity: 100 });
});

const buyOne = (feira: Feira) => order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 });

interface Cursors {
  feed: string;
  orders: string;
}

async function cursorsOf(client: StoreClient): Promise<Cursors> {
  const feed = (await client.get('/events?limit=100')).body.meta.nextCursor;
  const orders = (await client.get('/orders?sort=updatedAt&limit=100')).body.meta.nextCursor;
  return { feed, orders };
}

test.each([
  ['the same cluster', () => first],
  ['another cluster', () => second],
])(
  'cursors issued before a dump stay valid after its restore into %s, and cursors issued after the dump return 410',
  {
    timeout: 180_000,
  },
  async (_, target) => {
    await buyOne(original);
    const before = await cursorsOf(store);
    const dump = first.dump('original');
    await buyOne(original);
    const lost = await cursorsOf(store);

    const restored = await openFeira({ connection: await target().restore(dump, `restored_${++dumps}`) });
    try {
      const client = store.through(restored);
      for (const answer of [
        await client.get(`/events?after=${before.feed}`),
        await client.get(`/orders?cursor=${before.orders}`),
      ]) {
        expect(answer.status).toBe(200);
        expect(answer.body.data).toEqual([]);
      }
      await expectExpired(client, lost);

      const orders = [await buyOne(restored), await buyOne(restored)];
      const events = await client.get(`/events?after=${before.feed}&limit=100`);
      const placed = events.body.data.filter(({ event }: { event: string }) => event === 'order.created');
      expect(placed.map(({ data }: { data: { orderId: string } }) => data.orderId)).toEqual(orders);
      const changed = await client.get(`/orders?cursor=${before.orders}`);
      expect(changed.body.data.map(({ id }: { id: string }) => id)).toEqual(orders);
      // The new history is now longer than the old one, so the lost cursors are no longer ahead of it. They must still
      // be rejected.
      await expectExpired(client, lost);
    } finally {
      await restored.close();
    }
  },
);

test('after a restore, a cursor issued before the dump returns events that were committed but not yet numbered at the time of the dump', {
  timeout: 180_000,
}, async () => {
  const before = await cursorsOf(store);
  for (const quantity of [1, 2, 3]) await store.patch(`/products/${productId}/stock`, { quantity });
  const dump = first.dump('original');

  const restored = await openFeira({ connection: await second.restore(dump, `restored_${++dumps}`) });
  try {
    const { status, body } = await store.through(restored).get(`/events?after=${before.feed}`);
    expect(status).toBe(200);
    expect(body.data.map(({ data }: { data: { quantity: number } }) => data.quantity)).toEqual([1, 2, 3]);
  } finally {
    await restored.close();
  }
});

async function expectExpired(client: StoreClient, { feed, orders }: Cursors): Promise<void> {
  for (const path of [`/events?after=${feed}`, `/orders?cursor=${orders}`]) {
    const answer = await client.get(path);
    expectRejected(answer, 410);
    expect(answer.body.code).toBe('cursor_expired');
  }
}
