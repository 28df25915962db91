import { expect } from 'vitest';
import type { Feira, StoreClient } from './feira.js';
import { allByCursor } from './orders.js';
import type { Random } from './random.js';
import type { ReadSnapshot } from './snapshots.js';

interface Variant {
  sku: string;
  quantity: number;
  updatedAt?: string;
}

interface Product {
  id: string;
  quantity: number;
  updatedAt?: string;
  variants: Variant[];
}

interface FeedEvent {
  sequence: number;
  event: string;
  data: { id: string; sku?: string; quantity: number };
}

/** Creates, changes and deletes products of the store concurrently until `isDone` returns true. */
export async function writeUntil(
  processes: Feira[],
  store: StoreClient,
  random: Random,
  isDone: () => boolean,
): Promise<void> {
  const ids = ((await allByCursor(store, '/products?limit=100')) as { id: string }[]).map(({ id }) => id);
  let made = 0;
  const write = async (client: StoreClient) => {
    const id = random.pick(ids);
    const quantity = random.below(1_000);
    switch (random.below(8)) {
      case 0:
        return ids.push(
          (await client.post('/products', { name: `New ${Date.now()} ${++made}`, price: 1 })).body.id,
        );
      case 1:
        return client.delete(`/products/${id}`);
      case 2:
        return client.patch(`/products/${id}`, { price: quantity });
      case 3:
      case 4:
        return client.patch(`/products/${id}/stock`, { quantity });
      case 5:
        return client.put(`/products/${id}/variants`, {
          types: [{ name: 'Size', options: ['S', 'M'] }],
          combinations: [
            { combination: 'S', sku: `S ${id}`, quantity },
            { combination: 'M', sku: `M ${id}` },
          ],
        });
      default:
        return client.patch(`/products/${id}/variants/${encodeURIComponent(`S ${id}`)}/stock`, { quantity });
    }
  };
  const writer = async (client: StoreClient) => {
    while (!isDone()) await write(client);
  };
  await Promise.all(processes.flatMap((each) => [1, 2, 3].map(() => writer(store.through(each)))));
}

/**
 * Checks that a consumer that starts with the snapshot and applies the events after the snapshot's cursor ends up with
 * the current state of the store.
 */
export async function expectToCatchUp(store: StoreClient, { records, cursor }: ReadSnapshot): Promise<void> {
  const products = new Map((records as Product[]).map((product) => [product.id, product]));
  let last: number | undefined;
  for (let after = cursor, hasMore = true; hasMore; ) {
    const { status, body } = await store.get(`/events?limit=100&after=${after}`);
    expect(status).toBe(200);
    for (const event of body.data as FeedEvent[]) {
      expect(event.sequence).toBe(last === undefined ? event.sequence : last + 1);
      last = event.sequence;
      await apply(store, products, event);
    }
    after = body.meta.nextCursor;
    hasMore = body.meta.hasMore;
  }
  const expected = (await allByCursor(store, '/products?limit=100&include=variants,images')) as Product[];
  const inOrder = (list: Product[]) => list.map(withoutTimes).sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(inOrder([...products.values()])).toEqual(inOrder(expected));
}

/**
 * Applies an event. A stock event contains the balance. A new or changed product is read, because its event does not
 * contain all of its values.
 */
async function apply(store: StoreClient, products: Map<string, Product>, event: FeedEvent): Promise<void> {
  const { id, sku, quantity } = event.data;
  const known = products.get(id);
  if (event.event === 'product.deleted') products.delete(id);
  else if (event.event !== 'stock.updated') {
    const { status, body } = await store.get(`/products/${id}`);
    if (status === 200) products.set(id, body);
    else products.delete(id);
  } else if (known && sku === undefined) known.quantity = quantity;
  else if (known) {
    for (const variant of known.variants) if (variant.sku === sku) variant.quantity = quantity;
    known.quantity = known.variants.reduce((sum, variant) => sum + variant.quantity, 0);
  }
}

/** Removes `updatedAt`, because a stock event does not contain the time of the change. */
function withoutTimes({ updatedAt, variants, ...product }: Product): Product {
  return { ...product, variants: variants.map(({ updatedAt: _, ...variant }) => variant) };
}
