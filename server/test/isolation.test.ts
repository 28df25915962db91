import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { newProduct } from './support/catalog.js';
import { type Answer, type Feira, openFeira, type StoreClient } from './support/feira.js';
import { pngOf } from './support/images.js';
import { upload } from './support/media.js';
import { until } from './support/process.js';
import { Receiver } from './support/receiver.js';
import { buy, order } from './support/shop.js';
import { sized } from './support/sized.js';
import { subscribe } from './support/webhooks.js';

vi.setConfig({ testTimeout: 120_000 });

// While calls of store A wait, calls of store B must still be answered.

const ROUNDS = sized(1, 10);
const BUYERS = sized(60, 300);

let feira: Feira;
let locker: pg.Client;
let a: StoreClient;
let locked: string;
let b: StoreClient;
let theirs: string;
let paid: string;
let code: string;
let round = 0;

beforeAll(async () => {
  feira = await openFeira({ webhooks: { timeoutMs: 60_000 } });
  locker = new pg.Client(feira.connection);
  await locker.connect();
});
afterAll(async () => {
  await locker.end();
  await feira.close();
});
beforeEach(async () => {
  a = await feira.store();
  locked = await newProduct(a, { quantity: 1_000, sku: 'LOCKED' });
  b = await feira.store();
  theirs = await newProduct(b, { quantity: 1_000, sku: 'FREE' });
  paid = await order(feira, b.workspaceId, { productId: theirs, variantId: null, quantity: 1 });
  code = (await b.post('/shipments', { orderId: paid })).body.code;
});
afterEach(async () => {
  await locker.query('rollback');
  vi.restoreAllMocks();
});

async function lockProductOfA(): Promise<void> {
  await locker.query('begin');
  await locker.query('select from products where id = $1 for update', [locked]);
}

/** Tracks calls of store A. `ended` returns how many of them have finished so far. */
function waiting(calls: Promise<unknown>[]): {
  all: Promise<PromiseSettledResult<unknown>[]>;
  ended(): number;
} {
  let ended = 0;
  for (const call of calls)
    call.then(
      () => ended++,
      () => ended++,
    );
  return { all: Promise.allSettled(calls), ended: () => ended };
}

const key = (name: string) => ({ 'idempotency-key': name });

/** Sends twenty different calls of store B. */
async function callsOfB(): Promise<Answer[]> {
  const n = ++round;
  const name = `Made in round ${n}`;
  const url = `/products/${theirs}`;
  return Promise.all([
    b.get('/me'),
    b.get('/products'),
    b.get('/products?search=product'),
    b.get(url),
    b.get(`${url}/variants`),
    b.get('/categories'),
    b.get('/orders'),
    b.get('/orders?sort=updatedAt'),
    b.get(`/orders/${paid}`),
    b.get('/customers'),
    b.get(`/shipments/${code}/tracking`),
    b.get('/webhooks'),
    b.get('/events'),
    b.post('/products', { name, price: 1 }),
    b.post('/products', { name: `Keyed ${name}`, price: 1 }, key(`create ${n}`)),
    b.patch(`${url}/stock`, { quantity: n }),
    b.patch('/stock', { entries: [{ sku: 'FREE', delta: 1 }] }, key(`stock ${n}`)),
    b.patch(url, { price: n }),
    b.patch(`/orders/${paid}/shipping-status`, { statusShipping: 'preparing' }),
    b.post('/uploads', { productId: theirs, contentType: 'image/png', contentLength: 100 }),
  ]);
}

async function expectBServed(ended: () => number): Promise<void> {
  for (let times = 0; times < ROUNDS; times++)
    for (const { status, body } of await callsOfB())
      expect(status, JSON.stringify(body).slice(0, 300)).toBeLessThan(300);
  const bought = await buy(feira, b.workspaceId, {
    lines: [{ productId: theirs, variantId: null, quantity: 1 }],
  });
  expect(bought).toHaveProperty('orderId');
  expect(ended()).toBe(0);
}

test('fifty writes and fifty checkouts of one store, all waiting for a lock, do not block another store', async () => {
  await lockProductOfA();
  const line = { productId: locked, variantId: null, quantity: 1 };
  const writes = [
    ...Array.from({ length: 25 }, (_, n) => a.patch(`/products/${locked}/stock`, { quantity: 100 + n })),
    ...Array.from({ length: 25 }, (_, n) =>
      a.patch(`/products/${locked}`, { price: n + 1 }, key(`locked ${n}`)),
    ),
  ];
  const calls = waiting([
    ...writes,
    ...Array.from({ length: 50 }, () => buy(feira, a.workspaceId, { lines: [line] })),
  ]);
  await expectBServed(calls.ended);
  await locker.query('rollback');
  const outcomes = await calls.all;
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
  for (const { status } of await Promise.all(writes)) expect(status).toBe(200);
});

test(`${BUYERS} simultaneous buyers of one product do not block another store`, async () => {
  await lockProductOfA();
  const line = { productId: locked, variantId: null, quantity: 1 };
  const calls = waiting(Array.from({ length: BUYERS }, () => buy(feira, a.workspaceId, { lines: [line] })));
  await expectBServed(calls.ended);
  await locker.query('rollback');
  const outcomes = await calls.all;
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
  expect((await a.get(`/products/${locked}`)).body.quantity).toBe(1_000 - BUYERS);
});

test('fifty pings to a receiver that hangs do not block another store', async () => {
  const receiver = await Receiver.open();
  const hook = await subscribe(a, `${receiver.url}/hook`);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  receiver.answer = (_, response) => void held.then(() => response.writeHead(204).end());
  const calls = waiting(
    Array.from({ length: 50 }, (_, n) =>
      a.post(`/webhooks/${hook.id}/ping`, undefined, n % 2 ? key(`ping ${n}`) : {}),
    ),
  );
  await until(() => receiver.received.length >= 50);
  // Sends a second request with the same key while the first one still waits for the receiver.
  expect((await a.post(`/webhooks/${hook.id}/ping`, undefined, key('ping 1'))).body.code).toBe(
    'idempotency_key_in_use',
  );
  await expectBServed(calls.ended);
  release();
  const outcomes = await calls.all;
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
  await receiver.close();
});

test('attaching twenty images while the storage hangs does not block another store', async () => {
  const keys: string[] = [];
  for (let n = 0; n < 20; n++) keys.push(await upload(feira, a, locked, await pngOf(1)));
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { storage } = feira.context;
  const readStaged = storage.readStaged.bind(storage);
  const reads = vi.spyOn(storage, 'readStaged').mockImplementation(async (name) => {
    await held;
    return readStaged(name);
  });
  const calls = waiting(
    keys.map((name, n) =>
      a.post(`/products/${locked}/images`, { key: name }, n % 2 ? key(`attach ${n}`) : {}),
    ),
  );
  await until(() => reads.mock.calls.length > 0);
  await expectBServed(calls.ended);
  release();
  const outcomes = (await calls.all) as PromiseFulfilledResult<Answer>[];
  expect(outcomes.map(({ value }) => value.status)).toEqual(Array(20).fill(201));
});
