import { beforeAll, describe, expect, test } from 'vitest';
import { newProduct, newVaried, observe } from '../../support/catalog.js';
import { runDryAndReal } from '../../support/dry-run-rounds.js';
import { expectRejected } from '../../support/expect-rejected.js';
import type { Feira, StoreClient } from '../../support/feira.js';
import { pathOf, populate } from '../../support/populated-store.js';
import { sharedFeira } from '../../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
});

const SUPPORTED = [
  'DELETE /products/:id',
  'PATCH /orders/:id/shipping-status',
  'PATCH /products/:id',
  'PATCH /products/:id/stock',
  'PATCH /products/:id/variants',
  'PATCH /products/:id/variants/:sku/stock',
  'PATCH /stock',
  'POST /products',
  'PUT /products/:id/variants',
];

test('random writes: dry run and real run agree, and a dry run leaves all tables unchanged', async () => {
  const writes = Number(process.env.FEIRA_DRY_RUNS ?? 60);
  const counts = await runDryAndReal(writes);
  expect(Object.keys(counts.routes).sort()).toEqual(SUPPORTED);
  expect(Object.keys(counts.statuses)).toEqual(
    expect.arrayContaining(['200', '201', '400', '404', '409', '422']),
  );
});

test('the dry run of a create emits no events and returns a well-formed id that does not exist', async () => {
  const { status, body, headers, events } = await observe(feira, store, () =>
    store.post('/products?dryRun=true', { name: 'Made up', price: 1 }),
  );
  expect([status, headers['x-dry-run'], events]).toEqual([201, 'true', []]);
  expect(body).toMatchObject({ name: 'Made up', id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect((await store.get(`/products/${body.id}`)).status).toBe(404);
});

test('a dry run of a delete keeps the product and its variations', async () => {
  const id = await newVaried(store, { S: 3 });
  expect(await store.delete(`/products/${id}?dryRun=true`)).toMatchObject({
    status: 200,
    body: { deleted: true },
  });
  expect((await store.get(`/products/${id}`)).body.variants).toHaveLength(1);
});

describe('with an Idempotency-Key', () => {
  const key = { 'idempotency-key': 'tried first' };

  test('a dry run leaves the key free for the real call', async () => {
    const body = { name: 'Keyed', price: 1 };
    expect((await store.post('/products?dryRun=true', body, key)).status).toBe(201);
    const real = await store.post('/products', body, key);
    expect([real.status, real.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  test('a dry run does not replay the response of the real call', async () => {
    const again = await store.post('/products?dryRun=true', { name: 'Keyed', price: 1 }, key);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([409, undefined]);
  });

  test('a rejected dry run leaves the key free as well', async () => {
    const other = { 'idempotency-key': 'refused' };
    const { store, ids } = await populate(feira);
    expect((await store.post(`/orders/${ids.order}/refund?dryRun=true`, undefined, other)).status).toBe(400);
    expect((await store.post('/products?dryRun=yes', { name: 'A', price: 1 }, other)).status).toBe(400);
    expect((await store.post('/products', { name: 'A', price: 1 }, other)).status).toBe(201);
  });

  test('a dry run with a key of more than 255 characters is rejected', async () => {
    const answer = await store.post('/products?dryRun=true', {}, { 'idempotency-key': 'x'.repeat(256) });
    expectRejected(answer, 400);
  });
});

test('dryRun=false makes a normal call', async () => {
  const { body, headers } = await store.post('/products?dryRun=false', { name: 'Real', price: 1 });
  expect(headers).not.toHaveProperty('x-dry-run');
  expect((await store.get(`/products/${body.id}`)).status).toBe(200);
});

test.each(['', '1', 'yes', 'TRUE', 'true&dryRun=true'])(
  'dryRun=%s is rejected and changes nothing',
  async (value) => {
    const id = await newProduct(store, { quantity: 1 });
    const answer = await store.patch(`/products/${id}/stock?dryRun=${value}`, { quantity: 2 });
    expectRejected(answer, 400);
    expect(answer.body.code).toBe('invalid_parameter');
    expect((await store.get(`/products/${id}`)).body.quantity).toBe(1);
  },
);

test('dryRun is rejected with dry_run_unsupported on every write that does not support it', async () => {
  const populated = await populate(feira);
  const others = feira.app.apiRoutes
    .map(({ method, url }) => ({ method, url, name: `${method} ${url.replace('/api/v1', '')}` }))
    .filter(({ method, name }) => !['GET', 'HEAD'].includes(method) && !SUPPORTED.includes(name));
  expect(others.length).toBeGreaterThan(5);
  for (const { method, url, name } of others) {
    const path = pathOf(url.replace('/api/v1', ''), populated);
    const { status, body } = await populated.store.call(method, `${path}?dryRun=true`, {});
    expect([name, status, body.code]).toEqual([name, 400, 'dry_run_unsupported']);
  }
});
