import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, StoreClient } from '../support/feira.js';
import { until } from '../support/process.js';
import {
  askForSnapshot,
  insertLargeProducts,
  LARGE_PRODUCTS,
  openStream,
  readSnapshot,
} from '../support/snapshots.js';

// Each of these tests starts with a client that requests a snapshot and does not read it.

let feira: Feira;
let store: StoreClient;
const streams: Socket[] = [];

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  await insertLargeProducts(feira, store);
  await feira.app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  for (const socket of streams.splice(0)) socket.destroy();
  await until(async () => (await backends()).length === 0);
});
afterAll(() => feira.close());

/** Returns the PostgreSQL sessions that hold the lock of a snapshot. */
function backends(): Promise<{ pid: number }[]> {
  return feira.context.db.store('test').query(sql`
    select l.pid from pg_locks l join pg_database d on d.oid = l.database
    where l.locktype = 'advisory' and d.datname = current_database()`);
}

/** Starts a stream whose client reads nothing. */
async function unreadStream(client = store): Promise<Socket> {
  const running = (await backends()).length;
  const socket = openStream(feira, client);
  streams.push(socket);
  await until(async () => (await backends()).length > running);
  return socket;
}

async function anotherApp(): Promise<StoreClient> {
  const { clientId } = await feira.store();
  return StoreClient.open(feira.context, feira.app, store.workspaceId, clientId, ['products:read']);
}

test('a second concurrent snapshot of the same store and app returns 409, for any list and in any process', async () => {
  await unreadStream();
  const other = await openFeira({ on: feira });
  try {
    for (const process of [feira, other])
      for (const path of ['/products', '/orders']) {
        const response = await askForSnapshot(process, store, path);
        expect([response.statusCode, response.json().code]).toEqual([409, 'snapshot_running']);
      }
  } finally {
    await other.close();
  }
});

test('while one app has a snapshot open, another app of the store can read one, and so can another store', async () => {
  await unreadStream();
  expect((await readSnapshot(feira, await anotherApp(), '/products')).records).toHaveLength(LARGE_PRODUCTS);
  expect((await readSnapshot(feira, await feira.store(), '/products')).records).toEqual([]);
});

test('a client that disconnects can request a snapshot again', async () => {
  (await unreadStream()).destroy();
  await until(async () => (await backends()).length === 0);
  expect((await readSnapshot(feira, store, '/products')).records).toHaveLength(LARGE_PRODUCTS);
});

test('a client that starts to read late gets its snapshot to the end, without changes made in the meantime', async () => {
  const socket = await unreadStream();
  const id = await newProduct(store);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.resume();
  await until(() => text.includes(`{"end":{"count":${LARGE_PRODUCTS}}}`));
  expect(text).not.toContain(id);
  await store.delete(`/products/${id}`);
});

test('while two snapshots of a store are unread, its other calls are answered and snapshots of other stores return 503', async () => {
  await unreadStream();
  await unreadStream(await anotherApp());
  expect((await store.get('/products?limit=1')).status).toBe(200);
  expect((await store.post('/products', { name: 'Meanwhile', price: 1 })).status).toBe(201);
  expect((await store.get('/orders')).status).toBe(200);
  // Both requests are sent at the same time, because each of them waits until it times out.
  const refused = await Promise.all(
    ['/products', '/orders'].map(async (path) => askForSnapshot(feira, await feira.store(), path)),
  );
  for (const response of refused) expect([response.statusCode, response.json().code]).toEqual([503, 'busy']);
});

test('a failure during a snapshot closes the connection without the end line', async () => {
  const socket = await unreadStream();
  const [backend] = await backends();
  await feira.context.db.store('test').query(sql`select pg_terminate_backend(${backend!.pid})`);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.resume();
  await once(socket, 'close');
  expect(text).toContain('{"snapshot":');
  expect(text).not.toContain('{"end":');
});
