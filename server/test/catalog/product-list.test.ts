import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { shopOf, Visitor } from '../support/buyer.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { insertProducts } from '../support/product-rows.js';

const RECORD_KEYS = (
  'id name price priceDiscount description quantity weight width height length typeId categoryId urlImage ' +
  'sku ean ncm cest fiscalOrigin hasVariants createdAt updatedAt'
).split(' ');

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  await insertProducts(
    feira,
    store,
    Array.from({ length: 123 }, (_, i) => ({ name: `Product ${i}` })),
  );
});
afterAll(() => feira.close());

describe('GET /products', () => {
  test('returns records without images and variants', async () => {
    const { body } = await store.get('/products?limit=2');
    expect(Object.keys(body).sort()).toEqual(['data', 'meta']);
    for (const record of body.data) expect(Object.keys(record).sort()).toEqual([...RECORD_KEYS].sort());
  });

  test('returns the exact total and the cursor of the next page', async () => {
    const first = await store.get('/products');
    expect(first.status).toBe(200);
    expect(first.body.data).toHaveLength(50);
    const nextCursor = expect.stringMatching(/^[\w-]+$/);
    expect(first.body.meta).toStrictEqual({
      limit: 50,
      page: 1,
      total: 123,
      totalPages: 3,
      hasMore: true,
      nextCursor,
    });
    const last = await store.get('/products?page=3');
    expect(last.body.data).toHaveLength(23);
    expect(last.body.meta).toStrictEqual({
      limit: 50,
      page: 3,
      total: 123,
      totalPages: 3,
      hasMore: false,
      nextCursor: null,
    });
  });

  test('returns each product exactly once across all pages', async () => {
    const seen: string[] = [];
    for (const page of [1, 2, 3, 4, 5])
      for (const { id } of (await store.get(`/products?limit=30&page=${page}`)).body.data) seen.push(id);
    expect(seen).toHaveLength(123);
    expect(new Set(seen).size).toBe(123);
  });

  test('treats a limit over 100 as 100 and returns 100 as limit', async () => {
    for (const limit of [100, 101, 5000, 99999999999]) {
      const { body } = await store.get(`/products?limit=${limit}`);
      expect([limit, body.data.length, body.meta.limit, body.meta.totalPages]).toEqual([limit, 100, 100, 2]);
    }
  });

  test('returns an empty page beyond the last one', async () => {
    const { status, body } = await store.get('/products?page=9&limit=20');
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      data: [],
      meta: { limit: 20, page: 9, total: 123, totalPages: 7, hasMore: false, nextCursor: null },
    });
  });

  test('returns an empty list for a store without products', async () => {
    const empty = await feira.store();
    expect((await empty.get('/products')).body).toStrictEqual({
      data: [],
      meta: { limit: 50, page: 1, total: 0, totalPages: 0, hasMore: false, nextCursor: null },
    });
  });

  test.each(['page', 'limit'])('rejects a %s that is not a whole number of at least 1', async (name) => {
    for (const value of [
      '0',
      '-1',
      '1.5',
      'abc',
      '',
      '%20',
      '1e2',
      '0x10',
      '1e400',
      'NaN',
      'null',
      '+1',
      '１',
    ])
      expectRejected(await store.get(`/products?${name}=${value}`), 400);
  });

  test('rejects pages beyond the first 10,000 records and suggests the cursor', async () => {
    for (const query of [
      'page=101&limit=100',
      'page=201',
      'page=10001&limit=1',
      'page=99999999999999999999',
    ]) {
      const answer = await store.get(`/products?${query}`);
      expectRejected(answer, 400);
      expect(answer.body.error).toContain('cursor');
    }
    expect((await store.get('/products?page=100&limit=100')).status).toBe(200);
    expect((await store.get('/products?page=200')).status).toBe(200);
  });

  test('rejects a repeated parameter', async () => {
    for (const query of ['page=1&page=1', 'limit=1&limit=2', 'search=a&search=b', 'sort=name&sort=name'])
      expectRejected(await store.get(`/products?${query}`), 400);
    for (const name of ['categoryId', 'sku', 'ean', 'updatedFrom', 'updatedTo', 'cursor'])
      expectRejected(await store.get(`/products?${name}=1&${name}=1`), 400);
  });

  test.each(['color=red&color=blue', 'toString=1', '__proto__=2', 'Page=1'])(
    'rejects an unknown parameter: %s',
    async (query) => expectRejected(await store.get(`/products?${query}`), 400),
  );

  test.each([
    'color',
    '',
    '-',
    '--name',
    'Name',
    'name,price',
    '+name',
    'id',
    'toString',
    '__proto__',
    'name_sort',
  ])('rejects "%s" as sort', async (sort) => {
    expectRejected(await store.get(`/products?sort=${encodeURIComponent(sort)}`), 400);
  });

  test('shows the newest first by default', async () => {
    const times = (await store.get('/products?limit=100')).body.data.map(
      (record: { createdAt: string; id: string }) => record.createdAt + record.id,
    );
    expect(times).toEqual([...times].sort().reverse());
    const reported = await store.get('/products?limit=100&sort=-createdAt');
    expect(reported.body.data[0]).toEqual((await store.get('/products')).body.data[0]);
  });

  test('never contains products of another store', async () => {
    const other = await feira.store();
    await other.post('/products', { name: 'Product 1', price: 1, sku: 'THEIRS', ean: 'THEIRS' });
    for (const query of ['search=theirs', 'sku=THEIRS', 'ean=THEIRS'])
      expect((await store.get(`/products?${query}`)).body.meta.total).toBe(0);
    for (const query of ['', '?search=product', '?sort=name', '?categoryId=23'])
      expect((await other.get(`/products${query}`)).body.meta.total).toBe(1);
    const { nextCursor } = (await store.get('/products?limit=1&sort=name')).body.meta;
    const theirs = (await other.get(`/products?cursor=${nextCursor}`)).body.data;
    expect(theirs.every(({ sku }: { sku: string }) => sku === 'THEIRS')).toBe(true);
  });
});

test('total is exact up to 10,000; above that it is 10,000 with totalCapped, the shop shows 10,000+, and the cursor reads the rest', async () => {
  const large = await feira.store();
  const { db } = feira.context;
  await db.store('test').autocommit.query(sql`
    insert into products (workspace_id, id, name, price)
    select ${large.workspaceId}, new_id(), 'Row ' || n, 1 from generate_series(1, 10001) n`);
  const capped = { total: 10_000, totalPages: 100, totalCapped: true, hasMore: true };
  const last = (await large.get('/products?page=100&limit=100&sort=name')).body;
  expect(last.data).toHaveLength(100);
  expect(last.meta).toStrictEqual({ limit: 100, page: 100, ...capped, nextCursor: expect.any(String) });
  const shop = await shopOf(feira, large);
  for (const [language, count] of [
    ['en', '10,000+ products'],
    ['pt', '+10.000 produtos'],
  ] as const) {
    const { html, text } = await new Visitor(feira, shop, { 'accept-language': language }).at();
    expect(html).toMatch(new RegExp(`name="description" content="[^"]*: ${count.replace('+', '[+]')}`));
    expect(text).toContain(`${count} · `);
  }
  const behind = (await large.get(`/products?limit=100&cursor=${last.meta.nextCursor}`)).body;
  expect(behind.data).toHaveLength(1);
  expect(behind.meta).toStrictEqual({ limit: 100, hasMore: false, nextCursor: null });

  await large.delete(`/products/${behind.data[0].id}`);
  const exact = (await large.get('/products?page=100&limit=100&sort=name')).body.meta;
  expect(exact).toStrictEqual({
    limit: 100,
    page: 100,
    total: 10_000,
    totalPages: 100,
    hasMore: false,
    nextCursor: null,
  });
});
