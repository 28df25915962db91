import { afterAll, beforeAll, expect, test } from 'vitest';
import { DailyUploads } from '../../../src/platform/budgets/daily-uploads.js';
import { RedisBudgets } from '../../../src/platform/budgets/in-redis.js';
import { type Feira, openFeira } from '../../support/feira.js';
import { startRedis } from '../../support/redis.js';

let feira: Feira;
let redis: Awaited<ReturnType<typeof startRedis>>;

beforeAll(async () => {
  redis = await startRedis();
  feira = await openFeira();
});
afterAll(async () => {
  await feira.close();
  await redis.stop();
});

test('two servers that share a Redis accept as many calls in total as the limit allows, and each accepted call reports a different number of remaining calls', async () => {
  const shared = { on: feira, redisUrl: redis.url, redisTimeoutMs: 10_000 };
  const one = await openFeira(shared);
  const two = await openFeira(shared);
  const store = await feira.store({ perMinute: 120 });
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => store.through(index % 2 === 0 ? one : two).get('/me')),
  );
  const accepted = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  expect([accepted.length, refused.length]).toEqual([120, 80]);
  expect(new Set(accepted.map(({ headers }) => headers['x-ratelimit-remaining'])).size).toBe(120);
  for (const { headers } of refused) {
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(58);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
  }
  expect((await one.app.inject('/readyz')).json()).toMatchObject({ status: 'ok', checks: { budgets: 'ok' } });
  await one.close();
  await two.close();
});

test('an upload rejected by the limit of uploads does not count against the limit of calls', async () => {
  const budgets = await RedisBudgets.open(
    redis.url,
    feira.clock,
    new DailyUploads(feira.context.db, feira.clock),
    10_000,
  );
  const store = await feira.store();
  const { workspaceId, clientId } = store;
  const spender = { workspaceId, clientId, name: `${workspaceId} ${clientId}`, perMinute: 120 };
  for (let i = 0; i < 60; i++) expect((await budgets.spend(spender, 'upload')).accepted).toBe(true);
  expect(await budgets.spend(spender, 'upload')).toMatchObject({ accepted: false, limit: 60 });
  expect(await budgets.spend(spender, 'call')).toMatchObject({ accepted: true, remaining: 59 });
  budgets.close();
});
