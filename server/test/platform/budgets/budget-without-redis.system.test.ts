import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Answer, type Feira, openFeira, type StoreClient } from '../../support/feira.js';
import { until } from '../../support/process.js';
import { type RedisProcess, startRedis } from '../../support/redis.js';

const LIMIT = 120;
/** Longer than in production, so that a slow response on a busy machine does not count as a lost Redis. */
const TIMEOUT_MS = 1_500;

/** Two processes share one Redis, and the calls of a store alternate between them. */
let redis: RedisProcess;
let one: Feira;
let two: Feira;
let store: StoreClient;

beforeEach(async () => {
  redis = await startRedis();
  one = await openFeira({ redisUrl: redis.url, redisTimeoutMs: TIMEOUT_MS });
  two = await openFeira({ on: one, redisUrl: redis.url, redisTimeoutMs: TIMEOUT_MS });
  store = await one.store({ perMinute: LIMIT });
  for (const feira of [one, two]) await until(() => says(feira, 'feira_budgets_processes 2'));
});
afterEach(async () => {
  await two.close();
  await one.close();
  await redis.stop();
});

async function says(feira: Feira, line: string): Promise<boolean> {
  return (await feira.app.inject('/metrics')).body.includes(`\n${line}\n`);
}

async function isShared(shared: boolean): Promise<void> {
  for (const feira of [one, two]) await until(() => says(feira, `feira_budgets_shared ${shared ? 1 : 0}`));
}

/** Sends this many concurrent calls, alternating between the two processes. */
function call(count: number): Promise<Answer[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => store.through(index % 2 === 0 ? one : two).get('/me')),
  );
}

const accepted = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length;
const statuses = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();

test('while Redis is unavailable, each process keeps to its share of the limit, is ready, and reports that it is degraded', async () => {
  await redis.stop();
  const answers = await call(2 * LIMIT);
  expect(statuses(answers)).toEqual([200, 429]);
  expect(accepted(answers)).toBe(LIMIT);
  await isShared(false);
  await until(async () => {
    const ready = await one.app.inject('/readyz');
    expect(ready.statusCode).toBe(200);
    return ready.json().status === 'degraded' && ready.json().checks.budgets === 'degraded';
  });
  redis = await startRedis(redis.port);
});

test('calls accepted before the loss of Redis count against the share of the process that accepted them', async () => {
  expect(accepted(await call(LIMIT))).toBe(LIMIT);
  await redis.stop();
  expect(accepted(await call(LIMIT))).toBe(0);
  redis = await startRedis(redis.port);
});

test('the counts of a Redis that comes back empty are restored, so no call above the limit is accepted', async () => {
  expect(accepted(await call(LIMIT))).toBe(LIMIT);
  await redis.stop();
  redis = await startRedis(redis.port);
  await isShared(true);
  const answers = await call(2 * LIMIT);
  expect(accepted(answers)).toBe(0);
  for (const { headers } of answers) expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
});

test('if counts vanish from a running Redis, as when its clock jumps ahead, no call above the limit is accepted', async () => {
  expect(accepted(await call(LIMIT))).toBe(LIMIT);
  const client = new Redis(redis.url);
  await client.flushall();
  client.disconnect();
  expect(accepted(await call(2 * LIMIT))).toBe(0);
});

test('calls recorded with a future time, for example by a machine whose clock was wrong, block callers for a minute at most', async () => {
  expect(accepted(await call(LIMIT))).toBe(LIMIT);
  const client = new Redis(redis.url);
  const [key] = await client.keys('feira:budget:{*:calls');
  const names = await client.zrange(key!, '0', '-1');
  for (const name of names) await client.zadd(key!, String(one.clock.now() + 3_600_000), name);
  client.disconnect();
  const [refused] = await call(1);
  expect(refused!.status).toBe(429);
  expect(Number(refused!.headers['retry-after'])).toBeLessThanOrEqual(60);
  one.clock.forward(61_000);
  expect(accepted(await call(LIMIT))).toBe(LIMIT);
});

test('while Redis hangs, calls are answered, and Redis is used again as soon as it responds', async () => {
  redis.signal('SIGSTOP');
  const answers = await call(LIMIT);
  expect(statuses(answers)).toEqual([200]);
  await isShared(false);
  redis.signal('SIGCONT');
  await isShared(true);
  one.clock.forward(61_000);
  expect(accepted(await call(2 * LIMIT))).toBe(LIMIT);
});

test('a process that stops while Redis hangs closes its connection to Redis', async () => {
  let ended = false;
  const proxy = createServer((socket) => {
    const target = connect(redis.port, '127.0.0.1');
    for (const each of [socket, target]) each.on('error', () => {});
    socket.pipe(target).pipe(socket);
    socket.on('end', () => {
      ended = true;
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const redisUrl = `redis://127.0.0.1:${port}`;
  const stopping = await openFeira({ on: one, redisUrl, redisTimeoutMs: TIMEOUT_MS });
  await until(() => says(stopping, 'feira_budgets_shared 1'));
  redis.signal('SIGSTOP');
  try {
    await stopping.close();
    await until(() => ended, 30_000);
  } finally {
    redis.signal('SIGCONT');
  }
});

test('a process starts without Redis, keeps to a quarter of the limit as if there were four processes, and uses Redis once it is available', async () => {
  const { port } = redis;
  await redis.stop();
  const late = await openFeira({ on: one, redisUrl: redis.url });
  const answers = await Promise.all(Array.from({ length: LIMIT }, () => store.through(late).get('/me')));
  expect(accepted(answers)).toBe(LIMIT / 4);
  redis = await startRedis(port);
  await until(() => says(late, 'feira_budgets_shared 1'));
  await late.close();
});
