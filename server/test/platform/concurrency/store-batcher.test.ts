import { expect, test } from 'vitest';
import { StoreBatcher } from '../../../src/platform/concurrency/store-batcher.js';

/** A batcher whose batches end when the test says so. */
function openBatcher() {
  const batches: { store: string; requests: number[]; end(): void }[] = [];
  const batcher = new StoreBatcher<number, string>(
    3,
    (store, requests) =>
      new Promise((resolve) => {
        const end = () => resolve(requests.map((request) => `${store} ${request}`));
        batches.push({ store, requests, end });
      }),
  );
  return { batcher, batches };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('requests of one store are combined, requests of different stores are not', async () => {
  const { batcher, batches } = openBatcher();
  const results = [batcher.submit('a', 1), batcher.submit('b', 2), batcher.submit('a', 3)];
  await nextTurn();
  expect(batches.map(({ store, requests }) => [store, requests])).toEqual([
    ['a', [1, 3]],
    ['b', [2]],
  ]);
  for (const { end } of batches) end();
  expect(await Promise.all(results)).toEqual(['a 1', 'b 2', 'a 3']);
});

test('requests that arrive while a batch of their store runs are collected for the next, up to its maximum', async () => {
  const { batcher, batches } = openBatcher();
  const results = [batcher.submit('a', 0)];
  await nextTurn();
  results.push(...[1, 2, 3, 4].map((request) => batcher.submit('a', request)));
  await nextTurn();
  expect(batches.map(({ requests }) => requests)).toEqual([[0]]);
  for (let ended = 0; ended < 3; ended++) {
    batches[ended]!.end();
    await nextTurn();
  }
  expect(batches.map(({ requests }) => requests)).toEqual([[0], [1, 2, 3], [4]]);
  expect(await Promise.all(results)).toEqual(['a 0', 'a 1', 'a 2', 'a 3', 'a 4']);
});

test('an error of a batch is the error of its requests, and the next batch runs', async () => {
  let isBroken = true;
  const batcher = new StoreBatcher<number, number>(2, async (_store, requests) => {
    if (isBroken) throw new Error('broken');
    return requests;
  });
  const results = await Promise.allSettled([batcher.submit('a', 1), batcher.submit('a', 2)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(await batcher.submit('a', 3)).toBe(3);
});
