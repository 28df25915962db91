import { afterAll, beforeAll, expect, test } from 'vitest';
import { pngOf } from '../../server/test/support/images.js';
import { temporaryFolder } from '../../server/test/support/process.js';
import { Feira } from '../src/client.js';
import { FileBudget } from '../src/node/file-budget.js';
import { type Budget, type BudgetState, MemoryBudget, reserve, settle } from '../src/pacing/budget.js';
import { type LiveServer, openLiveServer } from './support/live-server.js';
import { clockOf } from './support/shared-clock.js';

let server: LiveServer;
beforeAll(async () => {
  server = await openLiveServer();
});
afterAll(() => server.close());

/**
 * Returns settings for clients that count their responses by status and share a clock that moves only between calls.
 */
function counting() {
  const statuses: Record<number, number> = {};
  const underWay = new Set<string>();
  const clock = clockOf(server);
  return {
    statuses,
    fetch: (async (input, init) => {
      const response = await fetch(input, init);
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      return response;
    }) as typeof fetch,
    clock: {
      ...clock,
      // Time must not move during a call. Otherwise, if a busy machine delays a call, the budget would regard the call
      // as lost and free its slot.
      async sleep(ms: number, signal?: AbortSignal) {
        while (underWay.size > 0) await new Promise((resolve) => setImmediate(resolve));
        await clock.sleep(ms, signal);
      },
    },
    watch: (budget: Budget = new MemoryBudget()) => watched(budget, underWay),
  };
}

/**
 * Records in `underWay` the ids of calls that ask for a slot, or have one but no response yet. The id is added before
 * the slot is requested, because a budget in a file takes the slot some time before its `reserve` resolves.
 */
function watched(budget: Budget, underWay: Set<string>): Budget {
  return {
    async reserve(callId, now) {
      underWay.add(callId);
      const waitMs = await budget.reserve(callId, now);
      if (waitMs > 0) underWay.delete(callId);
      return waitMs;
    },
    async settle(callId, report, now) {
      await budget.settle(callId, report, now);
      underWay.delete(callId);
    },
  };
}

test('no call is rejected, however many are made at the same time', async () => {
  const { statuses, watch, ...settings } = counting();
  const { client } = await server.connect({ ...settings, budget: watch() }, { perMinute: 10 });
  await Promise.all(Array.from({ length: 45 }, () => client.me()));
  expect(statuses).toEqual({ 200: 45 });
});

test('the client also counts calls of other systems with its credential, as reported by the response headers', async () => {
  const { statuses, watch, ...settings } = counting();
  const { client, store } = await server.connect({ ...settings, budget: watch() }, { perMinute: 20 });
  await client.me();
  for (let i = 0; i < 12; i++) await store.get('/me');
  await client.me();
  await Promise.all(Array.from({ length: 30 }, () => client.me()));
  expect(statuses).toEqual({ 200: 32 });
});

test('a client whose rate limit others have already used up is rejected once and then paces itself', async () => {
  const { statuses, watch, ...settings } = counting();
  const { client, store } = await server.connect({ ...settings, budget: watch() }, { perMinute: 5 });
  for (let i = 0; i < 5; i++) await store.get('/me');
  await Promise.all(Array.from({ length: 12 }, () => client.me()));
  expect(statuses).toEqual({ 429: 1, 200: 12 });
});

test('no call of several clients that share a budget through a file is rejected', async () => {
  const folder = temporaryFolder();
  const { statuses, watch, ...settings } = counting();
  const { store } = await server.connect({}, { perMinute: 10 });
  const clients = [1, 2, 3].map(() => {
    const budget = watch(new FileBudget(`${folder.path}/budget.json`));
    return new Feira({ baseUrl: server.url, token: store.token, ...settings, budget });
  });
  await Promise.all(clients.flatMap((client) => Array.from({ length: 10 }, () => client.me())));
  expect(statuses).toEqual({ 200: 30 });
  folder.remove();
});

test('the most urgent of the waiting calls is sent first', async () => {
  const { client } = await server.connect({ clock: clockOf(server), concurrency: 1 }, { perMinute: 3 });
  const done: string[] = [];
  const call = (name: string, priority: 'high' | 'normal' | 'low') =>
    client.me({ priority }).then(() => done.push(name));
  await client.me();
  await Promise.all([
    call('first', 'normal'),
    call('low', 'low'),
    call('normal', 'normal'),
    call('high', 'high'),
    call('second low', 'low'),
  ]);
  expect(done).toEqual(['first', 'high', 'normal', 'low', 'second low']);
});

test('a call that waits for its turn can be aborted', async () => {
  const { client } = await server.connect({ concurrency: 1 });
  const abort = new AbortController();
  const first = client.me();
  const waiting = client.me({ signal: abort.signal });
  abort.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'aborted', attempts: 0 });
  await first;
  await client.me();
});

test('an upload that is aborted while it waits for its turn does not delay the next upload', async () => {
  const abort = new AbortController();
  const budget: Budget = { reserve: () => 0, settle: () => {} };
  const { client } = await server.connect({ budget, concurrency: 1 });
  const { id } = await client.products.create({ name: 'Caneca', price: 1 });
  const png = await pngOf(1);
  budget.reserve = () => {
    abort.abort();
    return 1;
  };
  await expect(client.images.upload(id, png, { signal: abort.signal })).rejects.toMatchObject({
    code: 'aborted',
    attempts: 0,
  });
  budget.reserve = () => 0;
  expect((await client.images.upload(id, png)).contentType).toBe('image/png');
});

test('a budget that cannot be reached does not stop the calls', async () => {
  const broken = {
    reserve: () => Promise.reject(new Error('the database is unreachable')),
    settle: () => Promise.reject(new Error('the database is unreachable')),
  };
  const { client } = await server.connect({ budget: broken });
  expect((await client.me()).currency).toBe('BRL');
});

test('uploads have a budget of their own', async () => {
  const { statuses, fetch } = counting();
  const { client } = await server.connect({
    // The storage rejects the file. Only the preceding request for the upload URL matters here.
    fetch: (input, init) =>
      init?.method === 'PUT' ? Promise.resolve(new Response('', { status: 403 })) : fetch(input, init),
    clock: clockOf(server),
  });
  const { id } = await client.products.create({ name: 'Caneca', price: 1 });
  const gif = new TextEncoder().encode('GIF89a');
  const uploads = Array.from({ length: 64 }, () =>
    client.images.upload(id, gif).catch((error) => error.code),
  );
  expect(new Set(await Promise.all(uploads))).toEqual(new Set(['upload_refused']));
  expect(statuses).toEqual({ 201: 65 });
});

test('a slot is free 60 seconds after the response, when the server certainly no longer counts the call', () => {
  const state: BudgetState = { calls: [] };
  expect(reserve(state, 'a', 0)).toBe(0);
  expect(reserve(state, 'b', 10)).toBeGreaterThan(0);
  settle(state, 'a', { limit: 2, remaining: 1 }, 1_000);
  expect(reserve(state, 'b', 1_000)).toBe(0);
  settle(state, 'b', { limit: 2, remaining: 0 }, 5_000);
  expect(reserve(state, 'c', 6_000)).toBe(55_000);
  expect(reserve(state, 'c', 60_999)).toBe(1);
  expect(reserve(state, 'c', 61_000)).toBe(0);
});

test('the slot of a process that died is free again after two minutes', () => {
  const state: BudgetState = { limit: 1, calls: [] };
  reserve(state, 'lost', 0);
  expect(reserve(state, 'next', 119_000)).toBeGreaterThan(0);
  expect(reserve(state, 'next', 120_000)).toBe(0);
});
