import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { newProduct } from '../../support/catalog.js';
import { type Answer, type Feira, openFeira, type StoreClient } from '../../support/feira.js';
import { pngOf } from '../../support/images.js';
import { upload } from '../../support/media.js';
import { until } from '../../support/process.js';
import { Receiver } from '../../support/receiver.js';
import { subscribe } from '../../support/webhooks.js';

// Three stores send four calls each at the same time. For these writes, one store may hold four connections, and all
// stores together seven. If each call held its connection while it waited for something other than the database, these
// calls would hold all seven and delay another store.
const CONNECTIONS = 7;
const STORES = 3;
const PER_STORE = 4;
const MANY = STORES * PER_STORE;

let feira: Feira;
let stores: StoreClient[];
let other: StoreClient;
let productId: string;
/** Hanging operations wait for this promise until `letGo` is called. */
let held: Promise<void>;
let letGo: () => void;

beforeAll(async () => {
  // Pings must not time out while they hang.
  feira = await openFeira({ webhooks: { timeoutMs: 90_000 } });
});
afterAll(() => feira.close());
beforeEach(async () => {
  stores = await Promise.all(Array.from({ length: STORES }, () => feira.store()));
  other = await feira.store();
  productId = await newProduct(other);
  held = new Promise((resolve) => {
    letGo = resolve;
  });
});
afterEach(() => {
  letGo();
  vi.restoreAllMocks();
});

const key = (index: number) => ({ 'idempotency-key': `waits ${index}` });

/**
 * Sends the requests of all stores. Once `least` of them hang, checks that changes to another store are answered before
 * any of them.
 */
async function expectOthersServed(
  send: (store: StoreClient, index: number) => Promise<Answer>,
  hanging: () => number,
  least = CONNECTIONS,
): Promise<Answer[]> {
  let answered = 0;
  const waiting = Promise.all(
    Array.from({ length: MANY }, (_, index) =>
      send(stores[index % STORES]!, index).finally(() => answered++),
    ),
  );
  await until(() => hanging() >= least);
  for (const headers of [{}, { 'idempotency-key': 'quick' }])
    expect((await other.patch(`/products/${productId}`, { name: 'Quick' }, headers)).status).toBe(200);
  expect(answered).toBe(0);
  letGo();
  return waiting;
}

test('pings with an Idempotency-Key to a receiver that hangs do not delay another store', async () => {
  const receiver = await Receiver.open();
  const hooks = new Map<StoreClient, string>();
  for (const store of stores) hooks.set(store, (await subscribe(store, `${receiver.url}/hook`)).id);
  receiver.answer = (_, response) => void held.then(() => response.writeHead(204).end());
  const answers = await expectOthersServed(
    (store, index) => store.post(`/webhooks/${hooks.get(store)}/ping`, undefined, key(index)),
    () => receiver.received.length,
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(MANY).fill(200));
  await receiver.close();
});

test('creating webhooks whose host name resolves slowly, with an Idempotency-Key, does not delay another store', async () => {
  const look = vi.spyOn(feira.context.outbound, 'isForbidden').mockImplementation(async () => {
    await held;
    return false;
  });
  const answers = await expectOthersServed(
    (store, index) =>
      store.post('/webhooks', { url: 'https://slow.example/', events: ['order.paid'] }, key(index)),
    () => look.mock.calls.length,
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(MANY).fill(201));
});

test.each([
  ['with an Idempotency-Key', key],
  ['without an Idempotency-Key', () => ({})],
])('attaching images %s while storage is slow does not delay another store', async (_, headersOf) => {
  const bytes = await pngOf(1);
  const products = new Map<StoreClient, string>();
  for (const store of stores) products.set(store, await newProduct(store));
  const keys: string[] = [];
  for (let index = 0; index < MANY; index++) {
    const store = stores[index % STORES]!;
    keys.push(await upload(feira, store, products.get(store)!, bytes));
  }
  const { storage } = feira.context;
  const readStaged = storage.readStaged.bind(storage);
  const reads = vi.spyOn(storage, 'readStaged').mockImplementation(async (name) => {
    await held;
    return readStaged(name);
  });
  const answers = await expectOthersServed(
    (store, index) =>
      store.post(`/products/${products.get(store)}/images`, { key: keys[index] }, headersOf(index)),
    () => reads.mock.calls.length,
    // At most two images are verified at a time, each from a different store.
    2,
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(MANY).fill(201));
});

test('reads are not delayed while a notification to the workers waits for a lock', async () => {
  const locker = new pg.Client(feira.connection);
  await locker.connect();
  onTestFinished(() => locker.end());
  await locker.query('begin');
  await locker.query('lock table outbox in access exclusive mode');
  // These writes emit no event, so only the notification that follows them waits for the locked outbox.
  for (let writes = 0; writes < 3; writes++) {
    await upload(feira, other, productId, await pngOf(1));
  }
  await until(async () => {
    const { rows } = await locker.query(
      `select from pg_locks where not granted and relation = 'outbox'::regclass`,
    );
    return rows.length > 0;
  });
  // The lock is held until the end of the test, so this response did not wait for it.
  expect((await other.get(`/products/${productId}`)).status).toBe(200);
});
