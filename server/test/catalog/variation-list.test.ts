import { beforeAll, expect, test } from 'vitest';
import { newVaried } from '../support/catalog.js';
import { insertCatalog } from '../support/catalog-rows.js';
import { expectRejected } from '../support/expect-rejected.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { allByCursor } from '../support/orders.js';
import { sharedFeira } from '../support/shared-feira.js';

interface Listed {
  id: string;
  productId: string;
  sku: string;
  updatedAt: string;
}

const PRODUCTS = 100;
const VARIATIONS = 75 * 3;

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  await insertCatalog(feira, store, PRODUCTS);
  await newVaried(await feira.store(), { elsewhere: 1 });
});

test('GET /variants lists every variation of the store once, with productId and the same fields as in its product', async () => {
  const listed = (await allByCursor(store, '/variants?limit=40')) as Listed[];
  expect(new Set(listed.map(({ id }) => id)).size).toBe(VARIATIONS);
  expect(listed).toHaveLength(VARIATIONS);
  const products = await allByCursor(store, '/products?limit=100&include=variants');
  const expected = (products as unknown as { id: string; variants: Omit<Listed, 'productId'>[] }[]).flatMap(
    ({ id, variants }) => variants.map((variation) => ({ productId: id, ...variation })),
  );
  const byId = (a: Listed, b: Listed) => (a.id < b.id ? -1 : 1);
  expect(listed.sort(byId)).toStrictEqual(expected.sort(byId));
});

test('GET /variants has the same paging metadata as the other lists', async () => {
  const first = await store.get('/variants?page=2&limit=100');
  expect(first.body.meta).toEqual({
    limit: 100,
    page: 2,
    total: VARIATIONS,
    totalPages: 3,
    hasMore: true,
    nextCursor: expect.any(String),
  });
  const last = await store.get(`/variants?limit=100&cursor=${first.body.meta.nextCursor}`);
  expect(last.body.data).toHaveLength(25);
  expect(last.body.meta).toEqual({ limit: 100, hasMore: false, nextCursor: null });
});

test('GET /variants finds variations by sku and ean', async () => {
  const bySku = await store.get('/variants?sku=S-Row%207-2');
  expect(bySku.body.data.map(({ sku }: Listed) => sku)).toEqual(['S-Row 7-2']);
  const byEan = await store.get('/variants?ean=789&limit=100');
  expect(byEan.body.meta.total).toBe(75);
  expect((await store.get('/variants?sku=S-Row%207-2&ean=789')).body.data).toEqual([]);
});

test('GET /variants sorts by updatedAt in both directions and filters by it, both ends included', async () => {
  const own = await feira.store();
  const id = await newVaried(own, { a: 1, b: 1, c: 1 });
  for (const sku of ['b', 'c', 'a']) {
    const before = (await own.get(`/variants?sku=${sku}`)).body.data[0].updatedAt;
    let quantity = 1;
    // Repeat the write until this SKU comes first, because two writes within the same millisecond have equal times.
    do await own.patch(`/products/${id}/variants/${sku}/stock`, { quantity: ++quantity });
    while ((await own.get('/variants?sort=-updatedAt')).body.data[0].sku !== sku);
    expect((await own.get(`/variants?sku=${sku}`)).body.data[0].updatedAt > before).toBe(true);
  }
  const list = async (query: string) => (await own.get(`/variants?${query}`)).body.data as Listed[];
  const skus = async (query: string) => (await list(query)).map(({ sku }) => sku);
  expect(await skus('sort=updatedAt')).toEqual(['b', 'c', 'a']);
  expect(await skus('sort=-updatedAt')).toEqual(['a', 'c', 'b']);
  expect(await skus('')).toEqual(['a', 'c', 'b']);
  const [, middle] = await list('sort=updatedAt');
  expect(await skus(`sort=updatedAt&updatedFrom=${middle!.updatedAt}`)).toEqual(['c', 'a']);
  expect(await skus(`sort=updatedAt&updatedTo=${middle!.updatedAt}`)).toEqual(['b', 'c']);
  expect(await skus(`updatedFrom=${middle!.updatedAt}&updatedTo=${middle!.updatedAt}`)).toEqual(['c']);
});

test.each([
  'sort=price',
  'sort=--updatedAt',
  'limit=0',
  'page=0',
  'page=101&limit=100',
  'cursor=bm90IG9uZQ',
  'updatedFrom=yesterday',
  'search=x',
])('GET /variants rejects %s', async (query) => {
  expectRejected(await store.get(`/variants?${query}`), 400);
});

test('GET /variants rejects the cursor of another list, and a cursor with another filter, another sort or a page', async () => {
  const products = await store.get('/products?limit=1&sort=updatedAt');
  expectRejected(await store.get(`/variants?cursor=${products.body.meta.nextCursor}`), 400);
  const own = await store.get('/variants?limit=1&ean=789');
  expectRejected(await store.get(`/variants?cursor=${own.body.meta.nextCursor}&ean=790`), 400);
  expectRejected(await store.get(`/variants?cursor=${own.body.meta.nextCursor}&sort=updatedAt`), 400);
  expectRejected(await store.get(`/variants?cursor=${own.body.meta.nextCursor}&page=2`), 400);
});

test('GET /variants needs products:read', async () => {
  const reader = await store.withScopes(['orders:read', 'products:write']);
  expectRejected(await reader.get('/variants'), 403);
});
