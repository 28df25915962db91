import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../src/platform/db/sql.js';
import { type Feira, openFeira, type StoreClient } from '../../support/feira.js';
import { until } from '../../support/process.js';

// Tests the server with clients that request a page of 8 MB and never read the response.

const CLIENTS = 50;
const MEGABYTE = 1_048_576;

let feira: Feira;
let store: StoreClient;
let other: StoreClient;
let received: number;
const served: Socket[] = [];
const clients: Socket[] = [];

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  other = await feira.store();
  await other.post('/products', { name: 'Cap', price: 1 });
  await store.post('/products', { name: 'Long', price: 1, description: '👕'.repeat(20_000) });
  await feira.context.db.store('test').autocommit.query(sql`
    insert into products (workspace_id, id, name, price, description)
    select workspace_id, new_id(), name || n, price, description from products, generate_series(1, 99) n
    where workspace_id = ${store.workspaceId}`);
  await feira.app.listen({ port: 0, host: '127.0.0.1' });
  feira.app.server.on('connection', (socket) => served.push(socket));
  feira.app.server.on('request', () => received++);
});
afterEach(() => {
  for (const socket of clients.splice(0)) socket.destroy();
  served.length = 0;
});
afterAll(() => feira.close());

async function askWithoutReading(count: number): Promise<void> {
  received = 0;
  const { port } = feira.app.server.address() as AddressInfo;
  for (let n = 0; n < count; n++) {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write(
      `GET /api/v1/products?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${store.token}\r\n\r\n`,
    );
    clients.push(socket);
  }
  await until(() => received === count);
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Returns the megabytes in use. Garbage is collected first, because how much there is depends on the timing. */
function held(): number {
  collectGarbage();
  const { external, heapUsed } = process.memoryUsage();
  return (external + heapUsed) / MEGABYTE;
}

test('the largest page of products, without the parameter include, is about 8 MB', async () => {
  const response = await feira.app.inject({
    url: '/api/v1/products?limit=100',
    headers: { authorization: `Bearer ${store.token}` },
  });
  expect(response.rawPayload.length / MEGABYTE).toBeGreaterThan(7);
  expect(response.rawPayload.length / MEGABYTE).toBeLessThan(9);
});

// Fifty responses would take 400 MB. Four may be in progress, and depending on the timing each of them has up to four
// copies: its pieces from PostgreSQL, the joined row, the list, and what Node has not sent yet.
test('responses that fifty clients do not read use less than 200 MB of memory, and other stores are answered', async () => {
  // The memory for stored responses is allocated with the first one.
  await other.get('/products');
  const before = held();
  await askWithoutReading(CLIENTS);
  for (let n = 0; n < 50; n++) {
    const answer = await other.get('/products');
    expect([answer.status, answer.body.data.length]).toEqual([200, 1]);
    expect(held() - before).toBeLessThan(200);
  }
});

test('the connection of a large response has a timeout of 15 seconds', async () => {
  await askWithoutReading(1);
  await until(() => served.some((socket) => socket.timeout === 15_000));
});

test('after fifty clients have disconnected without reading, the store can list its products', async () => {
  await askWithoutReading(CLIENTS);
  for (const socket of clients.splice(0)) socket.destroy();
  const answers = await Promise.all(Array.from({ length: 12 }, () => store.get('/products?limit=1')));
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
});

test('a client that reads its large response gets all of it', async () => {
  const { port } = feira.app.server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/products?limit=100`, {
    headers: { authorization: `Bearer ${store.token}` },
  });
  expect(((await response.json()) as { data: unknown[] }).data).toHaveLength(100);
});
