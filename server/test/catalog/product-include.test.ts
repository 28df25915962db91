import { beforeAll, expect, test } from 'vitest';
import { newProduct } from '../support/catalog.js';
import { insertCatalog } from '../support/catalog-rows.js';
import { expectRejected } from '../support/expect-rejected.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { pngOf } from '../support/images.js';
import { uploadAndAttach } from '../support/media.js';
import { allByCursor } from '../support/orders.js';
import { sharedFeira } from '../support/shared-feira.js';

const PRODUCTS = 230;

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  await insertCatalog(feira, store, PRODUCTS);
  await uploadAndAttach(feira, store, await newProduct(store), await pngOf(1));
});

test('each record of a list with variants and images equals the response of GET /products/{id}', async () => {
  const listed = await allByCursor(store, '/products?limit=100&include=variants,images');
  expect(listed).toHaveLength(PRODUCTS + 1);
  for (const record of listed) {
    const { body } = await store.get(`/products/${record.id}`);
    expect(record).toStrictEqual(body);
    expect(Object.keys(record)).toEqual(Object.keys(body));
  }
});

test('variants and images can each be requested alone, and a list without include has neither', async () => {
  const keysOf = async (query: string) => Object.keys((await store.get(`/products?${query}`)).body.data[0]);
  const plain = await keysOf('limit=1');
  expect(plain).not.toContain('variants');
  expect(await keysOf('limit=1&include=variants')).toEqual([...plain, 'variants']);
  expect(await keysOf('limit=1&include=images')).toEqual([...plain, 'images']);
  expect(await keysOf('limit=1&include=variants,images')).toEqual([...plain, 'images', 'variants']);
});

test.each(['sort=name', 'sort=-price&page=3', 'search=row%201', 'search=s-row%2077', 'sku=S-Row%207-2'])(
  'with include, a list has the same products in the same order as without: %s',
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

test('with a cursor, include may be omitted or repeated with its values in any order, but not changed', async () => {
  const first = await store.get('/products?limit=5&include=variants,images');
  const { nextCursor } = first.body.meta;
  const expected = await store.get(`/products?limit=5&page=2&include=images,variants`);
  for (const beside of ['', '&include=variants,images', '&include=images,variants']) {
    const next = await store.get(`/products?limit=5&cursor=${nextCursor}${beside}`);
    expect(next.body.data).toEqual(expected.body.data);
  }
  expectRejected(await store.get(`/products?cursor=${nextCursor}&include=variants`), 400);
});

test.each([
  '',
  'variant',
  'variants,',
  'variants,prices',
  'variants,images,variants,prices',
  'variants images',
])('include=%j is rejected, and the error names the allowed values', async (include) => {
  const answer = await store.get(`/products?include=${encodeURIComponent(include)}`);
  expectRejected(answer, 400);
  expect(answer.body.error).toMatch(/include must be one or more of images, variants/);
});
