import { expect, test } from 'vitest';
import { Queue, type Waiting } from '../../src/platform/db-queue.js';

test('whoever gets no connection waits no longer', async () => {
  const waiting: Waiting = new Set();
  const queue = new Queue(() => Promise.reject(new Error('too many clients')), waiting);
  await expect(queue.take()).rejects.toThrow('too many clients');
  expect(waiting.size).toBe(0);
});
