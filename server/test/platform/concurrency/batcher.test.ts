import { afterEach, expect, test, vi } from 'vitest';
import { Batcher } from '../../../src/platform/concurrency/batcher.js';

/** Returns a batcher whose batches end when the test ends them. */
function openBatches(
  maxRunning: number,
  maxBatchSize: number,
  slowMs: number | 'never' = 'never',
  minSizeBesideAnother = 1,
) {
  const started: { requests: number[]; end(): void; fail(error: Error): void }[] = [];
  const batcher = new Batcher<number, string>(
    maxRunning,
    maxBatchSize,
    (requests) =>
      new Promise((resolve, reject) => {
        started.push({
          requests,
          end: () => resolve(requests.map((request) => `result ${request}`)),
          fail: reject,
        });
      }),
    slowMs,
    minSizeBesideAnother,
  );
  return { batcher, started, batches: () => started.map(({ requests }) => requests) };
}

const turnOfTheEventLoop = () => new Promise(setImmediate);

test('a batcher puts the requests of one turn of the event loop into one batch and returns the result of each', async () => {
  const { batcher, started, batches } = openBatches(1, 10);
  const results = [1, 2, 3].map((request) => batcher.submit(request));
  await turnOfTheEventLoop();
  expect(batches()).toEqual([[1, 2, 3]]);
  started[0]!.end();
  expect(await Promise.all(results)).toEqual(['result 1', 'result 2', 'result 3']);
});

test('a batcher limits the size of a batch and the number of running batches', async () => {
  const { batcher, started, batches } = openBatches(2, 2);
  for (let request = 1; request <= 5; request++) void batcher.submit(request);
  await turnOfTheEventLoop();
  expect(batches()).toEqual([
    [1, 2],
    [3, 4],
  ]);
  void batcher.submit(6);
  started[0]!.end();
  await turnOfTheEventLoop();
  expect(batches()[2]).toEqual([5, 6]);
  expect(started).toHaveLength(3);
});

test('while a batch is running, fewer requests than the minimum wait, and more start a second batch', async () => {
  const { batcher, batches } = openBatches(2, 4, 'never', 3);
  void batcher.submit(1);
  await turnOfTheEventLoop();
  void batcher.submit(2);
  void batcher.submit(3);
  await turnOfTheEventLoop();
  expect(batches()).toEqual([[1]]);
  void batcher.submit(4);
  await turnOfTheEventLoop();
  expect(batches()).toEqual([[1], [2, 3, 4]]);
});

test('requests below the minimum start when no other batch is running', async () => {
  const { batcher, started, batches } = openBatches(2, 4, 'never', 3);
  void batcher.submit(1);
  await turnOfTheEventLoop();
  void batcher.submit(2);
  await turnOfTheEventLoop();
  started[0]!.end();
  await turnOfTheEventLoop();
  expect(batches()).toEqual([[1], [2]]);
});

test('a batch that fails rejects its own requests only, and the next one runs', async () => {
  const { batcher, started } = openBatches(1, 1);
  const failing = expect(batcher.submit(1)).rejects.toThrow('no disk');
  const next = batcher.submit(2);
  await turnOfTheEventLoop();
  started[0]!.fail(new Error('no disk'));
  await failing;
  started[1]!.end();
  expect(await next).toBe('result 2');
});

test('a result that is a promise delays only its own request', async () => {
  const batcher = new Batcher<number, string>(1, 2, async () => [new Promise(() => {}), 'done']);
  void batcher.submit(1);
  expect(await batcher.submit(2)).toBe('done');
});

afterEach(() => void vi.useRealTimers());

test('the next batch does not wait for a slow one, unless slowMs is "never"', async () => {
  vi.useFakeTimers();
  const impatient = openBatches(1, 1, 20);
  const patient = openBatches(1, 1);
  for (const { batcher } of [impatient, patient]) for (const request of [1, 2]) void batcher.submit(request);
  await vi.advanceTimersByTimeAsync(19);
  expect([impatient.started.length, patient.started.length]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect([impatient.started.length, patient.started.length]).toEqual([2, 1]);
});
