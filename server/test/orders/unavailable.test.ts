import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newProduct } from '../support/catalog.js';
import { type Answer, type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { order } from '../support/shop.js';
import { sized } from '../support/sized.js';

// All tests except the last simulate a hanging orders database: its tables stay locked until every call made in
// `whileHanging` has been answered.

let feira: Feira;
let store: StoreClient;
let productId: string;
let orderId: string;
let code: string;
let labelUrl: string;
let locker: pg.Client;

beforeAll(async () => {
  // Production waits up to three seconds for a lock. A shorter wait makes the tests faster and is safe, because only
  // `whileHanging` holds a lock for longer than 400 ms. The last test, in which calls compete for the same records, has
  // its own server.
  feira = await openFeira({ deadlines: { lockMs: 400 } });
  locker = new pg.Client(feira.connection);
  await locker.connect();
});
afterAll(async () => {
  await locker.end();
  await feira.close();
});
beforeEach(async () => {
  store = await feira.store();
  productId = await newProduct(store, { quantity: 10 });
  orderId = await order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 });
  ({ code, labelUrl } = (await store.post('/shipments', { orderId })).body);
});

async function whileHanging<T>(work: () => Promise<T>): Promise<T> {
  await locker.query('begin');
  await locker.query('lock table orders, customers, shipments in access exclusive mode');
  try {
    return await work();
  } finally {
    await locker.query('rollback');
  }
}

const calls = (): [string, (headers?: Record<string, string>) => Promise<Answer>][] => [
  ['list', () => store.get('/orders')],
  ['list by cursor', () => store.get('/orders?sort=updatedAt')],
  ['search', () => store.get('/orders?search=bia')],
  ['detail', () => store.get(`/orders/${orderId}`)],
  ['customers', () => store.get('/customers')],
  ['tracking', () => store.get(`/shipments/${code}/tracking`)],
  [
    'shipping status',
    (headers) => store.patch(`/orders/${orderId}/shipping-status`, { statusShipping: 'sent' }, headers),
  ],
  ['label', (headers) => store.post('/shipments', { orderId }, headers)],
  ['refund', (headers) => store.post(`/orders/${orderId}/refund`, undefined, headers)],
];

async function outcomeOf(call: Promise<Answer>): Promise<string> {
  const { status, body } = await call;
  return `${status} ${body.code}`;
}

test('calls that need the orders tables return 502 while these are locked, and work again afterwards', async () => {
  const answers = await whileHanging(() =>
    Promise.all(calls().map(async ([name, call]) => [name, await outcomeOf(call())])),
  );
  expect(answers).toEqual(calls().map(([name]) => [name, '502 orders_unavailable']));
  for (const [name, call] of calls()) {
    expect(`${name} ${(await call()).status}`).toBe(`${name} ${name === 'label' ? 409 : 200}`);
  }
});

test('the URL of a label returns 502 while the orders tables are locked', async () => {
  const path = labelUrl.replace('http://feira.test', '');
  const { statusCode, body } = await whileHanging(async () => feira.app.inject(path));
  expect([statusCode, JSON.parse(body).code]).toEqual([502, 'orders_unavailable']);
});

test('the 502 reveals nothing about its cause', async () => {
  const { body } = await whileHanging(() => store.get('/orders'));
  expect(body).toEqual({
    error: 'The orders service does not respond. Retry with exponential backoff.',
    code: 'orders_unavailable',
    requestId: expect.any(String),
    docUrl: 'http://feira.test/docs/errors/orders_unavailable',
  });
});

test('the rest of the API works while many calls wait for the orders tables, with and without Idempotency-Keys', async () => {
  const outcomes = new Set<string>();
  const others: string[] = [];
  const other = await feira.store();
  const [second, third] = [await newProduct(store), await newProduct(store)];
  let served = false;
  await whileHanging(async () => {
    // Each of these calls is sent again as soon as it is rejected, so that all of them are always waiting for the
    // locked tables.
    const waiting = Array.from({ length: sized(2, 4) }, (_, index) =>
      calls().map(async ([name, call]) => {
        const headers = index % 2 ? { 'idempotency-key': `${name} ${index}` } : undefined;
        do outcomes.add(await outcomeOf(call(headers)));
        while (!served);
      }),
    ).flat();
    for (let round = 0; round < 3; round++) {
      const key = { 'idempotency-key': `stock ${round}` };
      others.push(
        ...(await Promise.all([
          outcomeOf(store.get('/me')),
          // Other stores must not be delayed either.
          outcomeOf(other.get('/products')),
          outcomeOf(store.get(`/products/${productId}`)),
          outcomeOf(store.patch(`/products/${productId}/stock`, { quantity: round })),
          outcomeOf(store.patch(`/products/${second}/stock`, { quantity: round }, key)),
          outcomeOf(store.put(`/products/${third}/variants`, { types: [], combinations: [] })),
        ])),
      );
    }
    served = true;
    await Promise.all(waiting);
  });
  expect(others).toEqual(Array(18).fill('200 undefined'));
  expect([...outcomes]).toEqual(['502 orders_unavailable']);

  expect((await store.get('/orders')).status).toBe(200);
  // A 5xx response is not stored, so the same key can be used again.
  const again = await store.post(`/orders/${orderId}/refund`, undefined, { 'idempotency-key': 'refund 1' });
  expect([again.status, again.body.status]).toEqual([200, 'refunded']);
});

test('many concurrent refunds with Idempotency-Keys do not deadlock, and refund each order once', async () => {
  // This server has the long deadlines that tests use by default, because these calls wait for each other's locks.
  const patient = await openFeira({ on: feira });
  const client = store.through(patient);
  const ids = await Promise.all(
    Array.from({ length: 9 }, () =>
      order(patient, store.workspaceId, { productId, variantId: null, quantity: 1 }),
    ),
  );
  const answers = await Promise.all(
    [...ids, ...ids, ...ids].map((id, index) =>
      client.post(`/orders/${id}/refund`, undefined, { 'idempotency-key': `many ${index}` }),
    ),
  );
  await patient.close();
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(18);
});
