import { afterAll, beforeAll, expect, test } from 'vitest';
import { emit } from '../../src/events/outbox.js';
import type { Share } from '../../src/platform/db/share.js';
import { type Statement, sql } from '../../src/platform/db/sql.js';
import { dropBacklogs } from '../../src/webhooks/backlog.js';
import { claimDue, dueIn, releaseLeases } from '../../src/webhooks/claim.js';
import { recordFinished } from '../../src/webhooks/record.js';
import { startWorker } from '../../src/worker.js';
import { newProduct } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { pass, readLog, stopTime, subscribe } from '../support/webhooks.js';

const NOWHERE = 'http://127.0.0.1:9/';
const DAY = 24 * 60 * 60 * 1000;

let feira: Feira;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());

async function write({ workspaceId }: StoreClient, count: number, on = feira): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => ({
    event: 'product.created' as const,
    data: { id: `${n}`, name: `${n}` },
  }));
  await on.context.db.system('test').transaction((tx) => emit(tx, workspaceId, 'system', events));
}

const CLAIM = { leaseMs: 60_000, max: 250, maxPerOther: 16, wanted: [] };

test('a claim does not read the deliveries of an excluded subscription, however many are due', async () => {
  const db = feira.context.db.system('test');
  const [busy, quiet] = [await feira.store(), await feira.store()];
  const owed = await subscribe(busy, NOWHERE);
  const probe = await subscribe(quiet, NOWHERE);
  await write(busy, 3_000);
  await readLog(busy, owed.id);
  await write(quiet, 5);
  await readLog(quiet, probe.id);
  const read = async () => {
    const [row] = await db.query<{ touched: number }>(sql`
      select sum(idx_tup_read) as touched from pg_stat_user_indexes where indexrelname like 'deliveries_2%webhook_id_next_at%'`);
    return row!.touched;
  };
  await db.autocommit.query(sql`select pg_stat_force_next_flush()`);
  const before = await read();
  const claimed = await claimDue(db, {
    ...CLAIM,
    now: feira.clock.now(),
    wanted: [{ webhookId: owed.id, max: 0 }],
  });
  expect(claimed.map(({ webhookId }) => webhookId)).toEqual(Array(5).fill(probe.id));
  await db.autocommit.query(sql`select pg_stat_force_next_flush()`);
  await until(async () => (await read()) > before);
  expect((await read()) - before).toBeLessThan(100);
});

test('the statements that record results or release leases find deliveries by primary key, however many are pending', async () => {
  const db = feira.context.db.system('test');
  const store = await feira.store();
  const { id } = await subscribe(store, NOWHERE);
  await write(store, 3_000);
  await readLog(store, id);
  const claimed = await claimDue(db, { ...CLAIM, now: feira.clock.now(), maxPerOther: 250 });
  expect(claimed.length).toBeGreaterThan(100);

  const statements: Statement[] = [];
  const query = (statement: Statement) => {
    statements.push(statement);
    return db.autocommit.query(statement);
  };
  const recording = { ...db, autocommit: { query } } as unknown as Share;
  const result = { delivered: true, statusCode: 204, error: null, durationMs: 1, response: '' };
  const [sent, unsent] = [claimed.slice(0, 50), claimed.slice(50)];
  const finished = sent.map((each) => ({ claimed: each, at: feira.clock.now(), result }));
  expect(
    await recordFinished(recording, feira.clock.now(), { firstMs: 1, factor: 1 }, finished),
  ).toMatchObject({
    delivered: 50,
  });
  await releaseLeases(recording, feira.clock.now(), unsent);
  expect(statements).toHaveLength(2);
  for (const statement of statements) {
    const plan = await db.query<{ 'QUERY PLAN': string }>(sql`explain ${statement}`);
    const scans = plan
      .map((line) => line['QUERY PLAN'])
      .filter((line) => /Scan .*\bdeliveries_\d/.test(line))
      .map((line) => /using (\S+)/.exec(line)?.[1]);
    expect(scans.length).toBeGreaterThan(0);
    expect(scans.filter((index) => !index?.endsWith('_pkey'))).toEqual([]);
  }
});

test('subscriptions with a backlog take turns', async () => {
  const own = await openFeira();
  const { clock } = own;
  const db = own.context.db.system('test');
  const [one, two] = [await own.store(), await own.store()];
  const first = await subscribe(one, NOWHERE);
  const second = await subscribe(two, NOWHERE);
  await write(one, 100, own);
  await readLog(one, first.id);
  await write(two, 100, own);
  await readLog(two, second.id);
  const claimed = [];
  for (let round = 0; round < 4; round++)
    claimed.push(...(await claimDue(db, { ...CLAIM, max: 10, maxPerOther: 10, now: clock.now() })));
  for (const { id } of [first, second])
    expect(claimed.filter(({ webhookId }) => webhookId === id)).toHaveLength(20);
  await own.close();
});

test('claims no longer consider a subscription whose deliveries have all been sent', async () => {
  const own = await openFeira();
  const db = own.context.db.system('test');
  const store = await own.store();
  const { id } = await subscribe(store, NOWHERE);
  await write(store, 2, own);
  await readLog(store, id);
  const nextLook = async () => {
    const [queue] = await db.query<{ next_at: string }>(
      sql`select next_at::text from delivery_queues where webhook_id = ${id}`,
    );
    return queue!.next_at;
  };
  const now = own.clock.now();
  const claimed = await claimDue(db, { ...CLAIM, now });
  expect(claimed).toHaveLength(2);
  const untilLeaseEnds = await dueIn(db, now, []);
  expect(untilLeaseEnds).toBeGreaterThan(0);
  expect(untilLeaseEnds).toBeLessThanOrEqual(CLAIM.leaseMs);
  const result = { delivered: true, statusCode: 204, error: null, durationMs: 1, response: '' };
  const finished = claimed.map((each) => ({ claimed: each, at: now, result }));
  await recordFinished(db, now, { firstMs: 1, factor: 1 }, finished);
  const afterLease = now + 2 * CLAIM.leaseMs;
  expect(await claimDue(db, { ...CLAIM, now: afterLease })).toEqual([]);
  expect(await nextLook()).toBe('infinity');
  expect(await dueIn(db, afterLease, [])).toBeUndefined();
  await own.close();
});

test('deliveries above the backlog limit of a subscription are dropped, oldest first, and shown in its log', async () => {
  const store = await feira.store();
  const { id } = await subscribe(store, NOWHERE);
  await write(store, 30);
  const before = await readLog(store, id, '?limit=100');
  await dropBacklogs(feira.context.db.background('test'), feira.clock, 10);
  const dropped = await readLog(store, id, '?limit=100&status=dropped');
  expect(dropped).toHaveLength(20);
  const newest = [...before].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, 10);
  const pending = await readLog(store, id, '?limit=100&status=pending');
  expect(pending.map((delivery) => delivery.id).sort()).toEqual(newest.map((each) => each.id).sort());
  expect((await store.get('/events?limit=100')).body.data).toHaveLength(30);
  expect((await store.get('/webhooks')).body.data[0].status).toBe('failing');
});

test('deliveries that have waited for three days are dropped, and can be sent again', async () => {
  const receiver = await Receiver.open();
  const other = await openFeira({ on: feira });
  const store = await feira.store();
  const { id } = await subscribe(store, receiver.url);
  await newProduct(store);
  await readLog(store, id);
  feira.clock.forward(3 * DAY - 60_000);
  await dropBacklogs(feira.context.db.background('test'), feira.clock);
  expect((await readLog(store, id))[0]!.status).toBe('pending');
  feira.clock.forward(120_000);
  await dropBacklogs(feira.context.db.background('test'), feira.clock);
  const [dropped] = await readLog(store, id);
  expect(dropped!.status).toBe('dropped');

  const fresh = await store.withScopes(['webhooks:manage']);
  const again = await fresh.post(`/webhooks/${id}/deliveries/${dropped!.eventId}/redeliver`, undefined);
  expect(again.body).toMatchObject({ id: dropped!.id, status: 'pending' });
  const worker = startWorker(other.context);
  await until(async () => (await readLog(store, id))[0]!.status === 'delivered');
  expect(receiver.received[0]!.headers).toMatchObject({
    'x-service-delivery': dropped!.eventId,
    'x-service-sequence': '1',
    'x-service-origin': `app:${store.clientId}`,
  });
  await worker.stop();
  await other.close();
  await receiver.close();
});

test('a delivery fails after five attempts if the secret of its subscription is unreadable, and the log shows the reason', async () => {
  const own = await openFeira();
  stopTime(own);
  const worker = startWorker(own.context);
  const store = await own.store();
  const { id } = await subscribe(store, NOWHERE);
  await own.context.db.system('test').autocommit.query(sql`
    update webhooks set secret = '\\x00' where workspace_id = ${store.workspaceId}`);
  await newProduct(store);
  for (let attempt = 1; attempt <= 5; attempt++) {
    await until(async () => (await readLog(store, id))[0]?.attempts.length === attempt);
    pass(own, DAY);
  }
  const [failed] = await readLog(store, id);
  expect(failed).toMatchObject({ status: 'failed', attempts: Array(5).fill({ error: 'secret_unreadable' }) });
  await worker.stop();
  await own.close();
});

test('concurrent requests never exceed the limit of 20 subscriptions', async () => {
  const store = await feira.store();
  const body = { url: NOWHERE, events: ['product.created'] };
  const answers = await Promise.all(Array.from({ length: 26 }, () => store.post('/webhooks', body)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  const refused = answers.filter(({ status }) => status !== 201);
  for (const answer of refused) {
    expectRejected(answer, 409);
    expect(answer.body.code).toBe('subscription_limit');
  }
  expect((await store.get('/webhooks')).body.data).toHaveLength(20);
});
