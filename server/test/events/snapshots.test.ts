import { brotliDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { newProduct, newVaried } from '../support/catalog.js';
import { insertCatalog } from '../support/catalog-rows.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { allByCursor } from '../support/orders.js';
import { sharedFeira } from '../support/shared-feira.js';
import { order } from '../support/shop.js';
import { askForSnapshot, NDJSON, parseSnapshot, readSnapshot } from '../support/snapshots.js';

const PATHS = ['/products', '/variants', '/orders', '/customers'];
const ORDERS = 130;

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  await insertCatalog(feira, store, 330);
  const productId = await newProduct(store, { quantity: ORDERS });
  for (let n = 0; n < ORDERS; n++)
    await order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 });
  await newVaried(await feira.store(), { elsewhere: 1 });
});

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

test.each([
  ['/products', '/products?limit=100&include=variants,images'],
  ['/variants', '/variants?limit=100'],
  ['/orders', '/orders?limit=100'],
  ['/customers', '/customers?limit=100'],
])('a snapshot of %s has every record of the list, and none of another store', async (path, list) => {
  const { records, at } = await readSnapshot(feira, store, path);
  const listed = await allByCursor(store, list);
  expect(listed.length).toBeGreaterThan(0);
  expect(records.sort(byId)).toEqual(listed.sort(byId));
  expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('a product in a snapshot equals the response of GET /products/{id}', async () => {
  const { records } = await readSnapshot(feira, store, '/products');
  for (const record of records.slice(0, 20))
    expect((await store.get(`/products/${record.id}`)).body).toStrictEqual(record);
});

test('an empty store has an empty snapshot', async () => {
  const empty = await feira.store();
  for (const path of PATHS) {
    const { records, cursor } = await readSnapshot(feira, empty, path);
    expect(records).toEqual([]);
    expect((await empty.get(`/events?after=${cursor}`)).body.data).toEqual([]);
  }
});

test('a snapshot is compressed if the client accepts compression', async () => {
  const response = await askForSnapshot(feira, store, '/products', { 'accept-encoding': 'br' });
  expect(response.headers['content-encoding']).toBe('br');
  const { records } = parseSnapshot(brotliDecompressSync(response.rawPayload).toString());
  expect(records).toHaveLength(331);
});

test('a snapshot counts as one call against the rate limit', async () => {
  const spender = await feira.store({ perMinute: 10 });
  for (const left of [9, 8]) {
    const response = await askForSnapshot(feira, spender, '/products');
    expect(response.headers['x-ratelimit-remaining']).toBe(String(left));
  }
});

describe('a request for a snapshot', () => {
  test.each([
    ['/products', 'page=1'],
    ['/products', 'limit=100'],
    ['/products', 'include=variants'],
    ['/products', 'search=x'],
    ['/variants', 'sort=updatedAt'],
    ['/orders', 'status=paid'],
    ['/orders', 'cursor=x'],
    ['/customers', 'limit=1'],
  ])('of %s with the parameter %s is rejected, and the error names the parameter', async (path, query) => {
    const response = await askForSnapshot(feira, store, `${path}?${query}`);
    expect([response.statusCode, response.json().code]).toEqual([400, 'invalid_parameter']);
    expect(response.json().error).toContain(query.split('=')[0]);
  });

  test('is rejected without the scope that the list requires', async () => {
    const reader = await store.withScopes(['categories:read']);
    for (const path of PATHS) expect((await askForSnapshot(feira, reader, path)).statusCode).toBe(403);
  });

  test.each(['*/*', 'application/json', 'application/*', 'application/json, application/x-ndjson;q=0.5'])(
    'must prefer NDJSON; with "Accept: %s" it gets the ordinary list',
    async (accept) => {
      const { status, body } = await store.get('/products?limit=1', { accept });
      expect([status, body.data.length]).toEqual([200, 1]);
    },
  );

  test('may also accept other types, with a lower preference', async () => {
    const accept = 'text/html;q=0.1, Application/X-NDJSON, */*;q=0.5';
    const response = await askForSnapshot(feira, store, '/customers', { accept });
    expect(response.headers['content-type']).toBe(NDJSON);
  });

  test('with HEAD gets the headers and no records', async () => {
    const response = await feira.app.inject({
      method: 'HEAD',
      url: '/api/v1/products',
      headers: { authorization: `Bearer ${store.token}`, accept: NDJSON },
    });
    expect([response.statusCode, response.body, response.headers['content-type']]).toEqual([200, '', NDJSON]);
    await readSnapshot(feira, store, '/products');
  });
});
