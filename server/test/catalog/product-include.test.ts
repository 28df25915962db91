import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { insertCatalog } from '../support/catalog-rows.js';
import { expectRefusal } from '../support/expect-refusal.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { pngOf } from '../support/images.js';
import { uploadAndAttach } from '../support/media.js';
import { allByCursor } from '../support/orders.js';

const PRODUCTS = 230;

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  await insertCatalog(feira, store, PRODUCTS);
  await uploadAndAttach(feira, store, await newProduct(store), await pngOf(1));
});
afterAll(() => feira.close());

test('records with variants and images equal the details one by one', async () => {
  const listed = await allByCursor(store, '/products?limit=100&include=variants,images');
  expect(listed).toHaveLength(PRODUCTS + 1);
  for (const record of listed) {
    const { body } = await store.get(`/products/${record.id}`);
    expect(record).toStrictEqual(body);
    expect(Object.keys(record)).toEqual(Object.keys(body));
  }
});

test('either part can be asked for alone, and a list without include has neither', async () => {
  const keysOf = async (query: string) => Object.keys((await store.get(`/products?${query}`)).body.data[0]);
  const plain = await keysOf('limit=1');
  expect(plain).not.toContain('variants');
  expect(await keysOf('limit=1&include=variants')).toEqual([...plain, 'variants']);
  expect(await keysOf('limit=1&include=images')).toEqual([...plain, 'images']);
  expect(await keysOf('limit=1&include=variants,images')).toEqual([...plain, 'images', 'variants']);
});

test.each(['sort=name', 'sort=-price&page=3', 'search=row%201', 'search=s-row%2077', 'sku=S-Row%207-2'])(
  'the same products in the same order as without include: %s',
  async (query) => {
    const [plain, full] = await Promise.all([
      store.get(`/products?limit=20&${query}`),
      store.get(`/products?limit=20&${query}&include=variants,images`),
    ]);
    expect(plain.body.data.length).toBeGreaterThan(0);
    expect(
      full.body.data.map(({ images, variants, ...product }: Record<string, unknown>) => product),
    ).toEqual(plain.body.data);
    expect({ ...full.body.meta, nextCursor: null }).toEqual({ ...plain.body.meta, nextCursor: null });
  },
);

test('a cursor carries include, which may be repeated in any order but not changed', async () => {
  const first = await store.get('/products?limit=5&include=variants,images');
  const { nextCursor } = first.body.meta;
  const expected = await store.get(`/products?limit=5&page=2&include=images,variants`);
  for (const beside of ['', '&include=variants,images', '&include=images,variants']) {
    const next = await store.get(`/products?limit=5&cursor=${nextCursor}${beside}`);
    expect(next.body.data).toEqual(expected.body.data);
  }
  expectRefusal(await store.get(`/products?cursor=${nextCursor}&include=variants`), 400);
});

test.each(['', 'variant', 'variants,', 'variants,prices', 'variants images'])(
  'refuses include=%j and names the allowed values',
  async (include) => {
    const answer = await store.get(`/products?include=${encodeURIComponent(include)}`);
    expectRefusal(answer, 400);
    expect(answer.body.error).toMatch(/include must be one or several of images, variants/);
  },
);

test('a page of more than 16 MB is refused, and a smaller limit reads the same products', async () => {
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
  expectRefusal(refused, 400);
  expect(refused.body.code).toBe('page_too_large');
  expect(refused.body.error).toMatch(/smaller limit/);
  const listed = await allByCursor(large, '/products?limit=20&include=variants');
  expect(listed).toHaveLength(100);
});
