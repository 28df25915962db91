import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { rotatePartitions } from '../../src/events/retention.js';
import { sql } from '../../src/platform/db/sql.js';
import { dropBacklogs } from '../../src/webhooks/backlog.js';
import { startWorker } from '../../src/worker.js';
import { newProduct } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { inTimeZone } from '../support/orders.js';
import { until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { readLog, type Subscription, subscribe } from '../support/webhooks.js';

// No worker is running unless a test starts one, so queued deliveries stay pending and can be counted.
let feira: Feira;
let store: StoreClient;
let hook: Subscription;
let receiver: Receiver;
const LONG_AGO = '2020-01-01T00:00:00Z';

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  receiver = await Receiver.open();
  store = await feira.store();
  hook = await subscribe(store, receiver.url);
  return () => receiver.close();
});

const system = () => feira.context.db.system('test').autocommit;
const replay = (body: unknown, headers = {}) => store.post(`/webhooks/${hook.id}/replay`, body, headers);
const queued = async (body: object) => {
  const answer = await replay(body);
  expect(answer.status).toBe(200);
  return answer.body;
};
const ids = (log: { id: string }[]) => log.map(({ id }) => id).sort();

/** Creates deliveries of real events with the given statuses, oldest first. */
async function deliveriesThat(
  ...ends: string[]
): Promise<{ id: string; eventId: string; createdAt: string }[]> {
  for (const _ of ends) {
    await newProduct(store);
    await readLog(store, hook.id);
  }
  const log = (await readLog(store, hook.id, '?sort=createdAt&limit=100')).slice(-ends.length);
  for (const [n, { id }] of log.entries())
    await system().query(sql`
      update deliveries set status = ${ends[n]}, attempts_left = 0, created_at = now() - ${ends.length - n} * interval '1 hour'
      where workspace_id = ${store.workspaceId} and id = ${id}`);
  return (await readLog(store, hook.id, '?sort=createdAt&limit=100')).slice(-ends.length);
}

/** Inserts many deliveries without events. They are only counted, never sent. */
async function manyThat(status: string, count: number): Promise<void> {
  await system().query(sql`
    insert into deliveries (workspace_id, id, webhook_id, event_id, event, status, created_at)
    select ${store.workspaceId}::uuid, new_id(), ${hook.id}::uuid, new_id(), 'product.created', ${status},
      now() - n * interval '1 ms' from generate_series(1, ${count}::integer) n`);
}

describe('a replay', () => {
  test('with status failed sends failed and dropped deliveries again, with the same X-Service-Delivery', async () => {
    const made = await deliveriesThat('failed', 'delivered', 'dropped', 'failed');
    expect(await queued({ from: LONG_AGO, status: 'failed' })).toEqual({ count: 3 });
    const worker = startWorker(feira.context);
    await until(async () => (await readLog(store, hook.id, '?status=delivered')).length === 4);
    await worker.stop();
    const received = receiver.received.map(({ headers }) => headers['x-service-delivery']);
    expect(received.sort()).toEqual([0, 2, 3].map((n) => made[n]!.eventId).sort());
    expect(await queued({ from: LONG_AGO, status: 'failed' })).toEqual({ count: 0 });
  });

  test('with status all also queues delivered ones, each for up to five new attempts', async () => {
    await deliveriesThat('failed', 'delivered', 'dropped');
    expect(await queued({ from: LONG_AGO, status: 'all' })).toEqual({ count: 3 });
    const rows = await system().query(sql`
      select status, attempts_left from deliveries where workspace_id = ${store.workspaceId}`);
    expect(rows).toEqual(Array(3).fill({ status: 'pending', attempts_left: 5 }));
  });

  test('does not change pending deliveries', async () => {
    const [, waiting] = await deliveriesThat('failed', 'pending');
    const before = await readLog(store, hook.id);
    expect(await queued({ from: LONG_AGO, status: 'all' })).toEqual({ count: 1 });
    const after = await readLog(store, hook.id);
    const of = (log: typeof before) => log.find(({ id }) => id === waiting!.id);
    expect(of(after)).toEqual(of(before));
  });

  test('includes the deliveries created at the first and at the last moment of the period', async () => {
    const made = await deliveriesThat('failed', 'failed', 'failed', 'failed');
    const [, from, to] = made.map(({ createdAt }) => createdAt);
    expect(await queued({ from, to, status: 'failed' })).toEqual({ count: 2 });
    expect(ids(await readLog(store, hook.id, '?status=pending'))).toEqual(ids(made.slice(1, 3)));
    expect(await queued({ from: made[3]!.createdAt, status: 'failed' })).toEqual({ count: 1 });
    const inAnotherZone = made[0]!.createdAt.replace('Z', '-00:00');
    expect(await queued({ from: LONG_AGO, to: inAnotherZone, status: 'failed' })).toEqual({ count: 1 });
  });

  test('accepts whole days in the time zone of the store', async () => {
    const made = await deliveriesThat('failed', 'failed', 'failed', 'failed');
    await inTimeZone(feira, store, 'America/Sao_Paulo');
    const times = [
      '2026-01-30T02:59:59.999Z',
      '2026-01-30T03:00Z',
      '2026-02-01T02:59:59.999Z',
      '2026-02-01T03:00Z',
    ];
    for (const [n, time] of times.entries())
      await system().query(sql`
        update deliveries set created_at = ${time} where workspace_id = ${store.workspaceId} and id = ${made[n]!.id}`);
    const period = { from: '2026-01-30', to: '2026-01-31' };
    expect(await queued({ ...period, status: 'failed' })).toEqual({ count: 2 });
    expect(ids(await readLog(store, hook.id, '?status=pending'))).toEqual(ids(made.slice(1, 3)));
    const mixed = { from: '2026-02-01', to: '2026-02-01T03:00:00Z' };
    expect(await queued({ ...mixed, status: 'failed' })).toEqual({ count: 1 });
  });

  test.each([
    { from: '0001-01-01', to: '9999-12-31' },
    { from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59.999Z' },
    { from: '2020-02-29', to: '9999-12-31' },
  ])('includes the whole history for %j', async (period) => {
    await deliveriesThat('failed');
    expect(await queued({ ...period, status: 'all' })).toEqual({ count: 1 });
  });

  test('of one subscription does not affect the deliveries of another', async () => {
    const sibling = await subscribe(store, receiver.url);
    await deliveriesThat('failed');
    const other = (await readLog(store, sibling.id))[0]!;
    await system().query(sql`update deliveries set status = 'failed' where id = ${other.id}`);
    expect(await queued({ from: LONG_AGO, status: 'all' })).toEqual({ count: 1 });
    expect((await readLog(store, sibling.id))[0]!.status).toBe('failed');
  });

  test('that runs several times concurrently queues each delivery once', async () => {
    await manyThat('failed', 500);
    const body = { from: LONG_AGO, status: 'failed' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => queued(body)));
    const more = await queued(body);
    expect(answers.reduce((sum, { count }) => sum + count, more.count)).toBe(500);
    expect(await queued(body)).toEqual({ count: 0 });
  });

  test('queues nothing more when its request is repeated with the same Idempotency-Key', async () => {
    await deliveriesThat('failed', 'failed');
    const body = { from: LONG_AGO, status: 'failed' };
    const key = { 'idempotency-key': 'again' };
    expect((await replay(body, key)).body).toEqual({ count: 2 });
    await deliveriesThat('failed');
    const again = await replay(body, key);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual({ count: 2 });
    expect(await readLog(store, hook.id, '?status=failed')).toHaveLength(1);
  });
});

describe('a replay is limited', () => {
  test('to 10,000 deliveries per call, oldest first, and says where to continue', async () => {
    await manyThat('failed', 10_150);
    const first = await queued({ from: LONG_AGO, status: 'failed' });
    expect(first).toEqual({ count: 10_000, continueFrom: expect.any(String) });
    const left = await readLog(store, hook.id, '?status=failed&sort=createdAt&limit=1');
    expect(first.continueFrom).toBe(left[0]!.createdAt);
    expect(await queued({ from: first.continueFrom, status: 'failed' })).toEqual({ count: 150 });
  });

  test('to what the backlog limit of the subscription still allows, so that it causes no delivery to be dropped', async () => {
    await manyThat('pending', 99_995);
    await deliveriesThat('failed', 'failed', 'failed', 'failed', 'failed', 'failed', 'failed');
    const body = { from: LONG_AGO, status: 'failed' };
    const first = await queued(body);
    expect(first).toEqual({ count: 5, continueFrom: expect.any(String) });
    const { continueFrom } = first;
    expect(await queued(body)).toEqual({ count: 0, continueFrom });
    await dropBacklogs(feira.context.db.background('test'), feira.clock);
    expect(await readLog(store, hook.id, '?status=dropped')).toEqual([]);
  });
});

describe('the body of a replay', () => {
  test.each<[unknown, string[]]>([
    [{}, ['from', 'status']],
    [{ from: LONG_AGO }, ['status']],
    [{ status: 'all' }, ['from']],
    [{ from: LONG_AGO, status: 'delivered' }, ['status']],
    [{ from: LONG_AGO, status: null }, ['status']],
    [{ from: null, status: 'all' }, ['from']],
    [{ from: 1_700_000_000, status: 'all' }, ['from']],
    [{ from: '', status: 'all' }, ['from']],
    [{ from: 'yesterday', status: 'all' }, ['from']],
    [{ from: '2026-02-30', status: 'all' }, ['from']],
    [{ from: '2026-02-30T00:00:00Z', status: 'all' }, ['from']],
    [{ from: '2026-01-31T00:00:00', status: 'all' }, ['from']],
    [{ from: '2026-01-31T24:00:00Z', status: 'all' }, ['from']],
    [{ from: LONG_AGO, to: null, status: 'all' }, ['to']],
    [{ from: LONG_AGO, to: 'now', status: 'all' }, ['to']],
    [{ from: 'x', to: 'y', status: 'z' }, ['from', 'status', 'to']],
    [{ from: '2026-02-01T00:00:00Z', to: '2026-01-31T23:59:59Z', status: 'all' }, ['to']],
    [{ from: '2026-02-01', to: '2026-01-31', status: 'all' }, ['to']],
    [{ from: '2026-02-01', to: '2026-01-31T12:00:00Z', status: 'all' }, ['to']],
  ])('%j is rejected', async (body, fields) => {
    expectRejected(await replay(body), 422, fields);
  });

  test('is rejected with 400 if it is not a JSON object', async () => {
    for (const body of ['[]', '"failed"', '{', 'null']) expectRejected(await replay(body), 400);
  });

  test('may name a period without deliveries', async () => {
    await deliveriesThat('failed');
    const none = { count: 0 };
    expect(await queued({ from: LONG_AGO, to: LONG_AGO, status: 'all' })).toEqual(none);
    expect(await queued({ from: '2999-01-01', status: 'all' })).toEqual(none);
  });
});

test('deliveries older than the retention period are not sent again', async () => {
  await deliveriesThat('failed', 'delivered');
  feira.clock.forward(60 * 24 * 60 * 60 * 1000);
  await rotatePartitions(feira.context.db.background('test'), feira.clock);
  store = await store.withScopes(['webhooks:manage', 'products:write']);
  expect(await queued({ from: LONG_AGO, status: 'all' })).toEqual({ count: 0 });
  await deliveriesThat('failed');
  expect(await queued({ from: LONG_AGO, status: 'all' })).toEqual({ count: 1 });
});
