import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startProgram } from './program.js';

/**
 * Tests code from the README that implements a TokenStore and exports it as `tokens`. The code is loaded twice, so that
 * there are two connections. What is saved through one must be readable through the other, and only one of them can
 * hold the lock of a store at a time.
 */
export async function expectTokenStore(
  folder: string,
  code: string,
  env: Record<string, string>,
): Promise<void> {
  writeFileSync(join(folder, 'recipe.mjs'), code);
  const program = `
    import { tokens } from './recipe.mjs';
    import { tokens as other } from './recipe.mjs?another';
    const set = { accessToken: 'a', refreshToken: 'r', expiresAt: 'e', scope: 's' };
    await tokens.set('w1', set);
    const order = [];
    const hold = (store, holder) => store.lock('w1', async () => {
      order.push(holder);
      await store.get('w1');
      order.push(holder);
    });
    await Promise.all([hold(tokens, 1), hold(other, 2), hold(tokens, 1), hold(other, 2)]);
    const pairs = order.filter((holder, index) => index % 2 === 0 && holder === order[index + 1]).length;
    const failed = await tokens.lock('w1', () => Promise.reject(new Error('failed'))).catch(({ message }) => message);
    const next = await other.lock('w1', async () => 'locked again');
    console.log(JSON.stringify({ pairs, failed, next, saved: await other.get('w1'), none: await tokens.get('w2') ?? null }));
    process.exit();`;
  const { ended, output } = startProgram(folder, 'use-recipe.mjs', program, env);
  expect(await ended(), output()).toBe(0);
  expect(JSON.parse(output())).toEqual({
    pairs: 4,
    failed: 'failed',
    next: 'locked again',
    saved: { accessToken: 'a', refreshToken: 'r', expiresAt: 'e', scope: 's' },
    none: null,
  });
}
