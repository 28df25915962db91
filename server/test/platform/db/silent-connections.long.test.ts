import { afterEach, beforeEach, expect, test } from 'vitest';
import { newProduct } from '../../support/catalog.js';
import { type Answer, type Feira, openFeira, type StoreClient } from '../../support/feira.js';
import { until } from '../../support/process.js';
import { SilentProxy } from '../../support/silent-proxy.js';

// In these tests all connections from the tested server to the database die silently. Calls must be answered within
// their timeouts, which are short here, and must succeed again once new connections can be opened.

const SHORT = {
  lockMs: 700,
  statementMs: 800,
  answerMs: 1_000,
  transactionMs: 1_500,
  connectMs: 1_000,
  waitMs: 1_000,
};

/** This server is connected directly to the database, for steps that must succeed. */
let direct: Feira;
let feira: Feira;
let proxy: SilentProxy;
let store: StoreClient;
let productId: string;

beforeEach(async () => {
  direct = await openFeira();
  feira = await openFeira({
    on: direct,
    deadlines: SHORT,
    through: async (connection) => {
      proxy = await SilentProxy.open(connection);
      return proxy.address;
    },
  });
  const made = await direct.store();
  productId = await newProduct(made, { price: 1 });
  store = made.through(feira);
  await untilServed();
});
afterEach(async () => {
  proxy.comeBack();
  await feira.close();
  proxy.close();
  await direct.close();
});

const key = (name: string) => ({ 'idempotency-key': name });
const reads = () => [
  '/me',
  '/products',
  '/products?search=x',
  `/products/${productId}`,
  '/events',
  '/webhooks',
];
const orderReads = ['/orders', '/customers', '/shipments/AA000000000BR/tracking'];

async function untilServed(): Promise<void> {
  for (const path of reads()) await until(async () => (await store.get(path)).status === 200);
  for (const path of orderReads) await until(async () => (await store.get(path)).status < 500);
  await until(async () => (await store.patch(`/products/${productId}`, { ean: '1' })).status === 200);
}

const statusesOf = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))];

test('calls during an outage are answered with 502 or 503, and calls succeed again afterwards', async () => {
  proxy.fallSilent();
  const all = await Promise.all([
    Promise.all([...reads(), ...reads(), ...reads()].map((path) => store.get(path))),
    Promise.all([...orderReads, ...orderReads].map((path) => store.get(path))),
    Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        store.patch(`/products/${productId}/stock`, { quantity: n }, n % 2 ? key(`silent ${n}`) : {}),
      ),
    ),
    store.patch(`/products/${productId}`, { price: 7 }, key('price')),
  ]);
  expect(statusesOf(all[0])).toEqual([503]);
  expect(all[0][0]?.body.code).toBe('busy');
  expect(Number(all[0][0]?.headers['retry-after'])).toBeGreaterThan(0);
  // The routes in orderReads report a failure of the order storage as 502. If the token is not cached, its lookup fails
  // first: 503.
  for (const status of statusesOf(all[1])) expect([502, 503]).toContain(status);
  expect(statusesOf(all[2])).toEqual([503]);
  expect(all[3].status).toBe(503);

  proxy.comeBack();
  await untilServed();
  // The failed call did not use up the key.
  await until(
    async () => (await store.patch(`/products/${productId}`, { price: 7 }, key('price'))).status === 200,
  );
  const replayed = await direct.app.inject({
    method: 'PATCH',
    url: `/api/v1/products/${productId}`,
    headers: { authorization: `Bearer ${store.token}`, 'content-type': 'application/json', ...key('price') },
    payload: JSON.stringify({ price: 7 }),
  });
  expect([replayed.statusCode, replayed.headers['idempotent-replayed']]).toEqual([200, 'true']);
});

test('the listener detects that its connection died and reconnects, and calls succeed again', async () => {
  const { listener } = feira.context;
  await until(() => listener.alive);
  proxy.fallSilent();
  await until(() => !listener.alive);
  proxy.comeBack();
  await until(() => listener.alive);
  await untilServed();
});

test('closing a server does not wait for connections that died silently', async () => {
  const other = await openFeira({ on: direct, deadlines: SHORT, through: async () => proxy.address });
  proxy.fallSilent();
  const pending = store.through(other).get('/products');
  await other.close();
  expect((await pending).status).toBe(503);
});
