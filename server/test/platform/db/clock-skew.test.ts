import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { expireUnpaid } from '../../../src/orders/lifecycle.js';
import { sql } from '../../../src/platform/db/sql.js';
import { startWorker, type Worker } from '../../../src/worker.js';
import { newProduct } from '../../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../../support/feira.js';
import { until } from '../../support/process.js';
import { Receiver } from '../../support/receiver.js';
import { order } from '../../support/shop.js';
import { readLog, subscribe } from '../../support/webhooks.js';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const BACKOFF = { firstMs: 100, factor: 2 };

const rightTime = Date.now;

/** Simulates that the clock of this machine is wrong by `byMs`. The clock of the database stays correct. */
function skewMachine(byMs: number): void {
  vi.spyOn(Date, 'now').mockImplementation(() => rightTime() + byMs);
}

afterEach(() => void vi.restoreAllMocks());

describe.each([
  ['a day behind', -DAY_MS],
  ['a day ahead of', DAY_MS],
])("a worker whose clock is %s the database's", (_title, skewMs) => {
  let feira: Feira;
  let store: StoreClient;
  let worker: Worker;
  let receiver: Receiver;

  beforeAll(async () => {
    skewMachine(skewMs);
    feira = await openFeira({ productionClock: true, webhooks: { backoff: BACKOFF } });
    worker = startWorker(feira.context);
    receiver = await Receiver.open();
  });
  beforeEach(async () => {
    skewMachine(skewMs);
    store = await feira.store();
  });
  afterAll(async () => {
    await worker.stop();
    await receiver.close();
    await feira.close();
  });

  test('makes five delivery attempts with the configured waits between them', async () => {
    receiver.answer = (_request, response) => void response.writeHead(500).end();
    const hook = await subscribe(store, `${receiver.url}/five`);
    await newProduct(store);
    await until(async () => (await readLog(store, hook.id))[0]?.status === 'failed');
    const { attempts } = (await readLog(store, hook.id))[0]!;
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    const times = attempts.map(({ at }) => Date.parse(at));
    for (let i = 1; i < 5; i++) {
      const leastWait = 0.8 * BACKOFF.firstMs * BACKOFF.factor ** (i - 1);
      expect(times[i]! - times[i - 1]!).toBeGreaterThanOrEqual(leastWait);
    }
  });

  test('leases a delivery for less than a minute', async () => {
    let release: (() => void) | undefined;
    receiver.answer = (_request, response) => {
      release = () => void response.writeHead(204).end();
    };
    await subscribe(store, `${receiver.url}/lease`);
    await newProduct(store);
    await until(() => release !== undefined);
    const [lease] = await feira.context.db.store('test').query<{ minutes: number }>(sql`
      select extract(epoch from next_at - now()) / 60 as minutes from deliveries
      where workspace_id = ${store.workspaceId}`);
    expect(lease!.minutes).toBeGreaterThan(0);
    expect(lease!.minutes).toBeLessThan(1);
    release!();
  });

  test('does not cancel new orders', async () => {
    const productId = await newProduct(store, { quantity: 5 });
    vi.restoreAllMocks();
    const orderId = await order(
      feira,
      store.workspaceId,
      { productId, variantId: null, quantity: 1 },
      { pay: false },
    );
    skewMachine(skewMs + Math.sign(skewMs) * HOUR_MS);
    await expireUnpaid(feira.context.db, feira.context.clock);
    expect((await store.get(`/orders/${orderId}`)).body.status).toBe('pending');
  });
});

test('processes on machines whose clocks differ by a day accept each other’s tokens', async () => {
  const right = await openFeira({ productionClock: true });
  const store = await right.store();
  skewMachine(DAY_MS);
  const wrong = await openFeira({ on: right, productionClock: true });
  expect((await store.through(wrong).get('/me')).status).toBe(200);
  const there = await tokenFrom(wrong, store);
  vi.restoreAllMocks();
  expect((await there.through(right).get('/me')).status).toBe(200);
  await wrong.close();
  await right.close();
});

/** Returns a client of the same store, with a token that `feira` issued. */
async function tokenFrom(feira: Feira, store: StoreClient): Promise<StoreClient> {
  return store.through(feira).withScopes(['products:read']);
}
