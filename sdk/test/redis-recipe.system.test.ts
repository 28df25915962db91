import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT, temporaryFolder } from '../../server/test/support/process.js';
import { type RedisProcess, startRedis } from '../../server/test/support/redis.js';
import { startProgram } from './support/program.js';
import { blockWith, RUN_ELSEWHERE } from './support/readme.js';
import { expectTokenStore } from './support/recipe.js';

const RECIPE = blockWith(RUN_ELSEWHERE.redis);
const folder = temporaryFolder();
let redis: RedisProcess;
beforeAll(async () => {
  redis = await startRedis();
  symlinkSync(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
});
afterAll(async () => {
  await redis.stop();
  folder.remove();
});

test('the Redis recipe of the README stores tokens and gives the lock of a store to one caller at a time', async () => {
  await expectTokenStore(folder.path, RECIPE, { REDIS_URL: redis.url });
});

test('two copies of the recipe share the budget of a store', async () => {
  writeFileSync(join(folder.path, 'recipe.mjs'), RECIPE);
  const program = `
    import { budgetOf } from './recipe.mjs';
    import { budgetOf as budgetElsewhere } from './recipe.mjs?another';
    const [one, two, ofAnotherStore] = [budgetOf('w1'), budgetElsewhere('w1'), budgetOf('w2')];
    const now = Date.now();
    const waits = [await one.reserve('a', now)];
    await one.settle('a', { limit: 3, remaining: 2 }, now);
    waits.push(...(await Promise.all([one.reserve('b', now), two.reserve('c', now)])));
    waits.push(await two.reserve('d', now), await ofAnotherStore.reserve('e', now), await two.reserve('d', now + 60_000));
    console.log(JSON.stringify(waits));
    process.exit();`;
  const { ended, output } = startProgram(folder.path, 'share-budget.mjs', program, { REDIS_URL: redis.url });
  expect(await ended(), output()).toBe(0);
  expect(JSON.parse(output())).toEqual([0, 0, 0, 60_000, 0, 0]);
});
