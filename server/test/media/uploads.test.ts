import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newProduct } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
  productId = await newProduct(store);
});

const ask = (over: object = {}, by = store) =>
  by.post('/uploads', { productId, contentType: 'image/jpeg', contentLength: 1_000, ...over });

test.each([
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['image/webp', 'webp'],
  ['image/gif', 'gif'],
])('an upload URL for %s comes with exactly the documented fields', async (contentType, extension) => {
  const asked = await ask({ contentType, contentLength: 123 });
  expect(asked.status).toBe(201);
  expect(asked.body).toEqual({
    uploadUrl: expect.stringMatching(/^http:\/\/feira\.test\/uploads\/product_images\//),
    key: expect.stringMatching(new RegExp(`^product_images/${productId}/[A-Za-z0-9_-]{22}\\.${extension}$`)),
    expiresIn: 300,
    headers: { 'Content-Type': contentType, 'Content-Length': '123' },
  });
  expect(asked.body.uploadUrl).toContain(asked.body.key);
});

test('concurrent requests get different keys', async () => {
  const asked = await Promise.all(Array.from({ length: 40 }, () => ask()));
  expect(new Set(asked.map(({ body }) => body.key)).size).toBe(40);
});

test.each([1, 10_485_760])('a length of %i bytes is accepted', async (contentLength) => {
  expect((await ask({ contentLength })).status).toBe(201);
});

test.each([0, -1, 10_485_761, 1e12, 1_000.5, '1000', null, true, undefined])(
  'a length of %j is rejected',
  async (contentLength) => {
    expectRejected(await ask({ contentLength }), 422, ['contentLength']);
  },
);

test.each([
  'image/svg+xml',
  'image/avif',
  'image/jpg',
  'IMAGE/JPEG',
  'image/jpeg; q=1',
  'text/html',
  '',
  5,
  null,
  undefined,
])('the type %j is rejected', async (contentType) => {
  expectRejected(await ask({ contentType }), 422, ['contentType']);
});

test('all errors are reported together', async () => {
  expectRejected(await store.post('/uploads', {}), 422, ['productId', 'contentType', 'contentLength']);
  expectRejected(await ask({ productId: 7, contentType: 'x', contentLength: 0 }), 422, [
    'productId',
    'contentType',
    'contentLength',
  ]);
});

test('a product that is unknown, deleted or of another store is not found', async () => {
  const other = await feira.store();
  const theirs = await newProduct(other);
  const gone = await newProduct(store);
  await store.delete(`/products/${gone}`);
  for (const productId of [theirs, gone, '01a1df25-7929-7c23-b2dc-ac78e5c21043', 'x', '../../etc', ''])
    expectRejected(await ask({ productId }), 404);
});

test('media:write is required; products:read and products:write are not enough', async () => {
  const reader = await store.withScopes(['products:read', 'products:write']);
  expectRejected(await ask({}, reader), 403);
  expect((await ask({}, await store.withScopes(['media:write']))).status).toBe(201);
});

test('the same Idempotency-Key returns the same URL and key', async () => {
  const headers = { 'idempotency-key': 'once' };
  const body = { productId, contentType: 'image/jpeg', contentLength: 1_000 };
  const first = await store.post('/uploads', body, headers);
  const again = await store.post('/uploads', body, headers);
  expect(again.body).toEqual(first.body);
  expect(again.headers['idempotent-replayed']).toBe('true');
});

test('the headers show the limit with the fewest calls left, and the 61st request for an upload URL in a minute is rejected', async () => {
  const limited = await feira.store({ perMinute: 120 });
  const product = await newProduct(limited);
  const call = () =>
    limited.post('/uploads', { productId: product, contentType: 'image/png', contentLength: 5 });
  expect((await call()).headers).toMatchObject({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59' });
  for (let i = 0; i < 70; i++) await limited.get('/me');
  expect((await call()).headers).toMatchObject({ 'x-ratelimit-limit': '120', 'x-ratelimit-remaining': '47' });
  feira.clock.forward(60_000);
  for (let i = 0; i < 60; i++) expect((await call()).status).toBe(201);
  const refused = await call();
  expectRejected(refused, 429);
  expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0' });
  const wait = Number(refused.headers['retry-after']);
  expect(wait).toBeGreaterThan(0);
  expect((await limited.get('/me')).status).toBe(200);
  feira.clock.forward(wait * 1_000);
  expect((await call()).status).toBe(201);
});

test('the PUT of the file does not count against the limits', async () => {
  const limited = await feira.store({ perMinute: 120 });
  const product = await newProduct(limited);
  const asked = await limited.post('/uploads', {
    productId: product,
    contentType: 'image/png',
    contentLength: 5,
  });
  const { pathname, search } = new URL(asked.body.uploadUrl);
  for (let i = 0; i < 130; i++)
    await feira.app.inject({
      method: 'PUT',
      url: pathname + search,
      headers: { 'content-type': 'image/png', 'content-length': '5' },
      payload: 'bytes',
    });
  const { headers } = await limited.get('/me');
  expect(headers).toMatchObject({ 'x-ratelimit-limit': '120', 'x-ratelimit-remaining': '117' });
});
