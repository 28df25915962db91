import { expect } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira, type StoreClient } from './feira.js';
import { insertProducts } from './product-rows.js';
import { Random } from './random.js';
import { order } from './shop.js';

const WORDS = ['Camiseta', 'Mochila', 'Caneca'];

/**
 * Sends random writes to products, stock and orders through two processes concurrently. After each round, the totals
 * and a random page that each process returns must agree with the tables.
 */
export async function compareTotals(
  feira: Feira,
  options: { products: number; rounds: number; writesPerRound: number; seed: number },
): Promise<void> {
  const store = await feira.store();
  const other = await openFeira({ on: feira });
  const random = new Random(options.seed);
  const clients = [store, store.through(other)];
  await insertProducts(
    feira,
    store,
    Array.from({ length: options.products }, (_, n) => ({ name: `Seeded ${n}` })),
  );
  const ids: string[] = [];
  try {
    for (let round = 0; round < options.rounds; round++) {
      const writes = Array.from({ length: options.writesPerRound }, (_, n) =>
        write(feira, random.pick(clients), random, ids, `${round} ${n}`),
      );
      // These reads run during the writes, so that the processes fill their caches.
      const reads = clients.map((client) => client.get(`/products?limit=50&page=${1 + random.below(8)}`));
      await Promise.all([...writes, ...reads]);
      for (const client of clients) await expectTotals(feira, client, random);
    }
  } finally {
    await other.close();
  }
}

async function write(
  feira: Feira,
  client: StoreClient,
  random: Random,
  ids: string[],
  stamp: string,
): Promise<void> {
  const choice = random.below(10);
  const name = `${random.pick(WORDS)} ${stamp}`;
  const id = ids.length > 0 ? random.pick(ids) : undefined;
  if (choice < 4 || id === undefined) {
    const sizes = { types: [{ name: 'Size', options: ['S', 'L'] }], combinations: combinations(stamp) };
    const isVaried = random.below(3) === 0;
    const made = await client.post('/products', { name, price: 1, ...(isVaried && { variants: sizes }) });
    expect(made.status).toBe(201);
    ids.push(made.body.id);
  } else if (choice === 4) {
    await client.post('/products?dryRun=true', { name, price: 1 });
  } else if (choice < 7) {
    ids.splice(ids.indexOf(id), 1);
    await client.delete(`/products/${id}`);
  } else if (choice === 7) {
    await client.patch(`/products/${id}`, { name });
  } else if (choice === 8) {
    await client.patch(`/products/${id}/stock`, { quantity: random.below(100) });
  } else {
    const made = await client.post('/products', { name, price: 1, quantity: 5 });
    await order(feira, client.workspaceId, { productId: made.body.id, variantId: null, quantity: 1 });
  }
}

function combinations(stamp: string) {
  return ['S', 'L'].map((size) => ({ combination: size, sku: `${stamp} ${size}`, quantity: 1 }));
}

async function expectTotals(feira: Feira, client: StoreClient, random: Random): Promise<void> {
  const { workspaceId } = client;
  const db = feira.context.db.store('test');
  const count = async (table: 'products' | 'variations' | 'orders' | 'customers') =>
    (
      await db.query<{ n: number }>(
        {
          products: sql`select count(*) as n from products where workspace_id = ${workspaceId}`,
          variations: sql`select count(*) as n from variations where workspace_id = ${workspaceId}`,
          orders: sql`select count(*) as n from orders where workspace_id = ${workspaceId}`,
          customers: sql`select count(*) as n from customers where workspace_id = ${workspaceId}`,
        }[table],
      )
    )[0]!.n;
  const totalOf = async (path: string) => (await client.get(path)).body.meta.total;
  expect(await totalOf('/products')).toBe(await count('products'));
  expect(await totalOf('/products?page=200&limit=50')).toBe(await count('products'));
  expect(await totalOf('/variants')).toBe(await count('variations'));
  expect(await totalOf('/orders')).toBe(await count('orders'));
  expect(await totalOf('/customers')).toBe(await count('customers'));
  for (const word of WORDS) {
    const [found] = await db.query<{ n: number }>(
      sql`select count(*) as n from products where workspace_id = ${workspaceId} and name like ${`${word}%`}`,
    );
    expect(await totalOf(`/products?search=${word}`)).toBe(found!.n);
  }
  const page = 1 + random.below(8);
  const listed = (await client.get(`/products?page=${page}&limit=50`)).body.data as { id: string }[];
  const rows = await db.query<{ id: string }>(sql`
    select id from products where workspace_id = ${workspaceId} order by created_at desc, id desc
    limit 50 offset ${(page - 1) * 50}`);
  expect(listed.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
}
