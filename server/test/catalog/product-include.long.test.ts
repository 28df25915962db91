import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { insertCatalog } from '../support/catalog-rows.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { allByCursor } from '../support/orders.js';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  await insertCatalog(feira, store, 10_000);
});
afterAll(() => feira.close());

test('100 calls list 10,000 products with variations and images, each product as GET /products/{id} returns it', async () => {
  const listed: { id: string }[] = [];
  let calls = 0;
  for (let cursor: string | null = ''; cursor !== null; calls++) {
    const { body } = await store.get(
      `/products?limit=100&include=variants,images${cursor && `&cursor=${cursor}`}`,
    );
    listed.push(...body.data);
    cursor = body.meta.nextCursor;
  }
  expect([calls, new Set(listed.map(({ id }) => id)).size]).toEqual([100, 10_000]);
  for (const record of listed) expect((await store.get(`/products/${record.id}`)).body).toStrictEqual(record);
});

test('a page of more than 16 MB is rejected, and a smaller limit reads the same products', async () => {
  const large = await feira.store();
  await feira.context.db.store('test').transaction(async (tx) => {
    await tx.query(sql`
      insert into products (workspace_id, id, name, price, has_variants)
      select ${large.workspaceId}, new_id(), 'Large ' || n, 1, true from generate_series(1, 100) n`);
    await tx.query(sql`
      insert into variations (workspace_id, product_id, id, position, combination, options, price)
      select p.workspace_id, p.id, new_id(), n, repeat('👕', 50) || n, array[repeat('👕', 50) || n], 1
      from products p, generate_series(1, 500) n where p.workspace_id = ${large.workspaceId}`);
  });
  const refused = await large.get('/products?limit=100&include=variants');
  expectRejected(refused, 400);
  expect(refused.body.code).toBe('page_too_large');
  expect(refused.body.error).toMatch(/smaller limit/);
  const listed = await allByCursor(large, '/products?limit=20&include=variants');
  expect(listed).toHaveLength(100);
});
