import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Feira, openFeira, type StoreClient } from '../../support/feira.js';

let feira: Feira;
let store: StoreClient;
let product: string;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  product = (await store.post('/products', { name: 'Shirt', price: 10 })).body.id;
});
afterAll(() => feira.close());

const MISSING = '01900000-0000-7000-8000-000000000000';

test.each([
  ['POST', `/orders/${MISSING}/refund`, { amount: 1 }, 'amount'],
  ['POST', '/products/:product/images', {}, 'body'],
  ['POST', '/products/:product/images', { key: 'a', url: 'https://a.example/b.png' }, 'body'],
  ['PATCH', '/products/:product', {}, 'body'],
  ['PATCH', '/products/:product/variants', { variants: [{}] }, 'variants[0]'],
])('%s %s names the invalid field', async (method, path, body, field) => {
  const answer = await store.call(method, path.replace(':product', product), body);
  expect(answer.status).toBe(422);
  expect(answer.body.details[0].field).toBe(field);
  expect(answer.body.error.startsWith(`${field} `)).toBe(true);
});

test('a compressed body is rejected with the code unsupported_content_encoding', async () => {
  const response = await feira.app.inject({
    method: 'POST',
    url: '/api/v1/products',
    headers: {
      authorization: `Bearer ${store.token}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
    payload: gzipSync(JSON.stringify({ name: 'Cap', price: 1 })),
  });
  expect(response.statusCode).toBe(400);
  expect(response.json()).toMatchObject({
    code: 'unsupported_content_encoding',
    error: expect.stringContaining('gzip'),
  });
});

const CONTROLS = ['\0', '\u0001', '\u0008', '\u000b', '\u001f', '\u007f', '\u0085', '\u009f'];

test.each([
  ['POST', '/products', { name: 'a?b', price: 1 }, 'name'],
  ['POST', '/products', { name: 'x', price: 1, description: 'a?b' }, 'description'],
  ['POST', '/products', { name: 'x', price: 1, sku: 'a?b' }, 'sku'],
  ['PATCH', '/stock', { entries: [{ sku: 'a?b', quantity: 1 }] }, 'entries[0].sku'],
  ['POST', `/orders/${MISSING}/refund`, { reason: 'a?b' }, 'reason'],
])('%s %s rejects control characters in place of the ? in %o', async (method, path, body, field) => {
  for (const control of CONTROLS) {
    const sent = JSON.parse(JSON.stringify(body), (_key, value) =>
      typeof value === 'string' ? value.replace('?', control) : value,
    );
    const answer = await store.call(method, path, sent);
    expect([control, answer.status]).toEqual([control, 422]);
    expect(answer.body.details).toEqual([{ field, message: expect.stringContaining('control') }]);
  }
});

test('tabs, line feeds and carriage returns are kept in a description', async () => {
  const description = 'one\ttwo\r\nthree';
  const { status, body } = await store.post('/products', { name: 'Lines', price: 1, description });
  expect([status, body.description]).toEqual([201, description]);
});

test('a description of 20,000 characters is accepted and a longer one is rejected', async () => {
  const description = '👕'.repeat(20_000);
  const accepted = await store.post('/products', { name: 'Long', price: 1, description });
  expect(accepted.status).toBe(201);
  const refused = await store.patch(`/products/${product}`, { description: `${description}x` });
  expect(refused.body.details).toEqual([
    { field: 'description', message: 'must have at most 20000 characters' },
  ]);
});
