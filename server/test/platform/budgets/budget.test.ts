import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { setBudget } from '../../../src/oauth/budget.js';
import { InMemoryBudgets } from '../../../src/platform/budgets/in-memory.js';
import { SpenderWindows } from '../../../src/platform/budgets/spender-windows.js';
import { MovableClock } from '../../support/clock.js';
import { ALL_SCOPES, type Answer, type Feira, openFeira, StoreClient } from '../../support/feira.js';
import { Random } from '../../support/random.js';

const LIMIT = 120;
const MINUTE = 60_000;

let feira: Feira;
let store: StoreClient;

// The clock moves only when a test moves it, so that results are exact.
beforeAll(async () => {
  feira = await openFeira();
  feira.clock.stop();
});
beforeEach(async () => {
  store = await feira.store({ perMinute: LIMIT });
});
afterAll(() => feira.close());

async function spend(count: number, by = store): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < count; i++) answers.push(await by.get('/categories'));
  return answers;
}

const accepted = (answers: Answer[]) => answers.filter(({ status }) => status !== 429).length;

function budgetHeaders({ headers }: Answer) {
  return [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], headers['x-ratelimit-reset']].map(
    Number,
  );
}

describe('the call budget of a credential (one store and app)', () => {
  test('is 120 calls in any 60 seconds: call 121 is rejected until Retry-After has passed, and not a second longer', async () => {
    const first = await spend(60);
    expect(budgetHeaders(first[0]!)).toEqual([120, 119, 60]);
    feira.clock.forward(10_500);
    const second = await spend(60);
    expect(budgetHeaders(second[59]!)).toEqual([120, 0, 50]);
    const [refused] = await spend(1);
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', error: expect.any(String), requestId: expect.any(String) },
      headers: { 'retry-after': '50' },
    });
    expect(budgetHeaders(refused!)).toEqual([120, 0, 50]);
    feira.clock.forward(49_000);
    const [early] = await spend(1);
    expect([early!.status, early!.headers['retry-after']]).toEqual([429, '1']);
    feira.clock.forward(1_000);
    expect(accepted(await spend(61))).toBe(60);
    feira.clock.forward(9_999);
    expect(accepted(await spend(1))).toBe(0);
    feira.clock.forward(1);
    expect(accepted(await spend(61))).toBe(60);
  });

  test('never reports a reset of more than 60 seconds, even if the time has fractions of a millisecond', async () => {
    for (let i = 0; i < 30; i++) {
      feira.clock.forward(MINUTE + 0.7);
      expect(budgetHeaders((await spend(1))[0]!)).toEqual([120, 119, 60]);
    }
  });

  test('is not used by calls that are rejected with 429', async () => {
    expect(accepted(await spend(LIMIT + 80))).toBe(LIMIT);
    feira.clock.forward(MINUTE - 1);
    expect(accepted(await spend(40))).toBe(0);
    feira.clock.forward(1);
    expect(accepted(await spend(LIMIT + 1))).toBe(LIMIT);
  });

  test('is used by calls that fail with 403, 404, 405 or 422', async () => {
    const reader = await store.withScopes(['categories:read']);
    for (let i = 0; i < LIMIT / 4; i++) {
      expect((await reader.post('/products', {})).status).toBe(403);
      expect((await reader.get('/nowhere')).status).toBe(404);
      expect((await store.post('/products', {})).status).toBe(422);
      expect((await store.delete('/products')).status).toBe(405);
    }
    expect((await reader.post('/products', {})).status).toBe(429);
    expect((await reader.get('/nowhere')).status).toBe(429);
    expect((await store.get('/me')).status).toBe(429);
  });

  test('is in the response headers of authenticated calls, successful or not, and not in those of a 401', async () => {
    const { id } = (await store.post('/products', { name: 'Known', price: 1 })).body;
    const etag = String((await store.get(`/products/${id}`)).headers.etag);
    const reader = await store.withScopes(['products:read']);
    const answers = [
      await store.get('/me'),
      await store.post('/products', { name: 'Another', price: 1 }),
      await store.get(`/products/${id}`, { 'if-none-match': etag }),
      await store.post('/products', 'not json'),
      await reader.post('/products', {}),
      await store.get('/products/none'),
      await store.delete('/products'),
      await store.post('/products', { name: 'Known', price: 1 }),
      await store.post('/products', { name: 'x'.repeat(1_100_000), price: 1 }),
      await store.post('/products', {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 304, 400, 403, 404, 405, 409, 413, 422]);
    expect(answers.map((answer) => budgetHeaders(answer))).toEqual(
      answers.map((_, index) => [LIMIT, LIMIT - 3 - index, 60]),
    );
    const { headers, statusCode } = await feira.app.inject('/api/v1/me');
    expect([statusCode, headers['x-ratelimit-limit']]).toEqual([401, undefined]);
  });

  test('is shared by all tokens of one store and app, and by no others', async () => {
    const { context, app } = feira;
    const otherStore = await feira.store({ perMinute: LIMIT });
    const sameStore = await StoreClient.open(
      context,
      app,
      store.workspaceId,
      otherStore.clientId,
      ALL_SCOPES,
    );
    const sameApp = await StoreClient.open(context, app, otherStore.workspaceId, store.clientId, ALL_SCOPES);
    const secondToken = await store.withScopes(['categories:read']);
    expect(accepted(await spend(100))).toBe(100);
    expect(accepted(await spend(30, secondToken))).toBe(20);
    expect(accepted(await spend(1))).toBe(0);
    for (const other of [sameStore, sameApp, otherStore]) {
      expect(budgetHeaders((await spend(1, other))[0]!)).toEqual([120, 119, 60]);
    }
  });

  test('can be changed for one credential, even in a process that has cached the old value', async () => {
    const other = await feira.store({ perMinute: LIMIT });
    expect(accepted(await spend(LIMIT + 1))).toBe(LIMIT);
    await setBudget(feira.context.db.store('test').autocommit, store.workspaceId, store.clientId, 200);
    // The clock does not move, so the cache has not expired: only the notification can have cleared it.
    await vi.waitFor(async () => expect((await spend(1))[0]!.status).toBe(200), {
      timeout: 60_000,
      interval: 5,
    });
    expect(accepted(await spend(LIMIT))).toBe(79);
    expect(budgetHeaders((await spend(1, other))[0]!)).toEqual([120, 119, 60]);
    await setBudget(feira.context.db.store('test').autocommit, store.workspaceId, store.clientId, 5);
    await vi.waitFor(async () => expect(budgetHeaders((await spend(1))[0]!)).toEqual([5, 0, 60]), {
      timeout: 60_000,
      interval: 5,
    });
  });
});

describe('the rolling window', () => {
  test('accepts at most 120 calls over HTTP in any 60 seconds, and rejects none while there are fewer', async () => {
    const random = new Random(60);
    const times: number[] = [];
    let refusals = 0;
    for (let i = 0; i < 500; i++) {
      // The calls come in bursts with occasional pauses, so the number of calls in the window rises and falls.
      feira.clock.forward(random.below(60) === 0 ? random.below(50_000) : random.below(300));
      const now = feira.clock.monotonic();
      const recent = times.filter((time) => time > now - MINUTE).length;
      const [answer] = await spend(1);
      expect([i, recent, answer!.status]).toEqual([i, recent, recent < LIMIT ? 200 : 429]);
      if (answer!.status === 200) times.push(now);
      else refusals++;
    }
    expect(refusals).toBeGreaterThan(100);
    expect(times.length).toBeGreaterThan(LIMIT * 2);
  });

  test('is exact for any limit and any gaps between calls: a call is accepted after resetMs but not a millisecond earlier', () => {
    const gaps = fc.array(fc.oneof(fc.nat(50), fc.nat(20_000), fc.constantFrom(0, 59_999, 60_000, 60_001)), {
      minLength: 1,
      maxLength: 150,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), gaps, (perMinute, moves) => {
        const clock = new MovableClock();
        clock.stop();
        const budgets = new InMemoryBudgets(new SpenderWindows(clock), undefined as never);
        const spender = { workspaceId: 'w', clientId: 'c', name: 'w c', perMinute };
        const times: number[] = [];
        const call = () => {
          const now = clock.monotonic();
          const recent = times.filter((time) => time > now - MINUTE).length;
          const verdict = budgets.spend(spender, 'call') as {
            accepted: boolean;
            remaining: number;
            resetMs: number;
          };
          const accepted = recent < perMinute;
          const remaining = accepted ? perMinute - recent - 1 : 0;
          // `expect` runs only on a difference, because it takes many times longer than the comparison, and there are
          // tens of thousands of calls.
          if (verdict.accepted !== accepted || verdict.remaining !== remaining)
            expect(verdict).toMatchObject({ accepted, remaining });
          if (verdict.accepted) times.push(now);
          return verdict;
        };
        for (const move of moves) {
          clock.forward(move);
          const verdict = call();
          if (verdict.accepted) continue;
          const wait = Math.ceil(verdict.resetMs);
          clock.forward(wait - 1);
          expect(call().accepted).toBe(false);
          clock.forward(1);
          expect(call().accepted).toBe(true);
        }
        budgets.close();
      }),
      { seed: 60, numRuns: 200 },
    );
  });
});
