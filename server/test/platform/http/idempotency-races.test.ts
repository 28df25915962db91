import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../../src/platform/db/sql.js';
import { newProduct } from '../../support/catalog.js';
import { type Answer, type Feira, openFeira, type StoreClient } from '../../support/feira.js';

const KEY = { 'idempotency-key': 'one key' };

let one: Feira;
let two: Feira;
let store: StoreClient;

beforeAll(async () => {
  one = await openFeira();
  two = await openFeira({ on: one });
});
afterAll(() => one.close());

/** Locks a product and sends a PATCH for it with an Idempotency-Key. The PATCH waits until `letGo` ends the lock. */
async function halfway(id: string): Promise<{ first: Promise<Answer>; pid: number; letGo(): Promise<void> }> {
  const holder = await one.context.db.store('test').begin();
  await holder.query(sql`select from products where id = ${id} for update`);
  const first = store.patch(`/products/${id}`, { price: 7 }, KEY);
  const pid = await vi.waitFor(
    async () => {
      const [waiting] = await one.context.db.store('test').query<{ pid: number }>(sql`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      expect(waiting).toBeDefined();
      return waiting!.pid;
    },
    { timeout: 60_000, interval: 5 },
  );
  return { first, pid, letGo: () => holder.rollback() };
}

const replayed = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';

test('25 concurrent requests with one key, sent to two servers, make one change', async () => {
  store = await one.store();
  const other = store.through(two);
  const answers = await Promise.all(
    Array.from({ length: 25 }, (_, index) =>
      (index % 2 ? store : other).post('/products', { name: 'Once', price: 1 }, KEY),
    ),
  );
  const made = answers.filter((answer) => answer.status === 201);
  expect(made.filter((answer) => !replayed(answer))).toHaveLength(1);
  expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
  for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
    expect([status, body.code]).toEqual([409, 'idempotency_key_in_use']);
  }
  expect(await one.events(store.workspaceId)).toHaveLength(1);
});

test('30 stock changes, each with its own key and sent three times, are applied once each', async () => {
  store = await one.store();
  const other = store.through(two);
  const id = await newProduct(store, { sku: 'S' });
  await Promise.all(
    Array.from({ length: 90 }, (_, index) =>
      (index % 2 ? store : other).patch(
        '/stock',
        { entries: [{ sku: 'S', delta: 1 }] },
        { 'idempotency-key': `delta ${index % 30}` },
      ),
    ),
  );
  expect((await store.get(`/products/${id}`)).body.quantity).toBe(30);
});

test('a repeated key returns 409 while its first request is running, and the stored response afterwards', async () => {
  store = await one.store();
  const id = await newProduct(store);
  const { first, letGo } = await halfway(id);
  for (const by of [store, store.through(two)]) {
    const meanwhile = await by.patch(`/products/${id}`, { price: 7 }, KEY);
    expect([meanwhile.status, meanwhile.body.code]).toEqual([409, 'idempotency_key_in_use']);
    expect(Number(meanwhile.headers['retry-after'])).toBeGreaterThan(0);
  }
  await letGo();
  expect(await first).toMatchObject({ status: 200, body: { price: 7 } });
  expect(replayed(await store.patch(`/products/${id}`, { price: 7 }, KEY))).toBe(true);
});

test('a key whose first request lost its database connection is free, and nothing was changed', async () => {
  store = await one.store();
  const id = await newProduct(store);
  const { first, pid, letGo } = await halfway(id);
  await one.context.db.store('test').query(sql`select pg_terminate_backend(${pid})`);
  expect(await first).toMatchObject({ status: 503, body: { code: 'busy' } });
  await letGo();
  expect((await store.get(`/products/${id}`)).body.price).toBe(10);
  const again = await store.patch(`/products/${id}`, { price: 7 }, KEY);
  expect([again.status, replayed(again), again.body.price]).toEqual([200, false, 7]);
});

test('a key that a crashed process left reserved is in use until its lease expires, and then free', async () => {
  store = await one.store();
  const { workspaceId, clientId } = store;
  const until = new Date(one.clock.now() + 60_000).toISOString();
  await one.context.db.store('test').autocommit.query(sql`
    insert into idempotency_reservations (workspace_id, client_id, key, token, until)
    values (${workspaceId}, ${clientId}, ${KEY['idempotency-key']}, gen_random_uuid(), ${until})`);
  const subscription = { url: 'http://127.0.0.1:9/hook', events: ['order.paid'] };
  const product = { name: 'Under a reserved key', price: 1 };
  for (const refused of [
    await store.post('/webhooks', subscription, KEY),
    await store.post('/products', product, KEY),
  ])
    expect([refused.status, refused.body.code]).toEqual([409, 'idempotency_key_in_use']);
  one.clock.forward(60_000);
  const made = await store.post('/webhooks', subscription, KEY);
  expect([made.status, replayed(made)]).toEqual([201, false]);
  const again = await store.post('/webhooks', subscription, KEY);
  expect([again.status, again.body, replayed(again)]).toEqual([201, made.body, true]);
});
