import { afterAll, beforeAll, expect, test } from 'vitest';
import { emit } from '../../src/events/outbox.js';
import { sql } from '../../src/platform/db/sql.js';
import { startWorker, type Worker } from '../../src/worker.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { subscribe } from '../support/webhooks.js';

const HANGING_STORES = 5;
const HANGING_PER_STORE = 10;
const BACKLOG = 100;
const PROBES = 100;
/** Longer than the test runs, so a delivery that had to wait for a hanging receiver would not arrive in time. */
const TIMEOUT_MS = 10 * 60 * 1000;

let feira: Feira;
let worker: Worker;

beforeAll(async () => {
  feira = await openFeira({ webhooks: { timeoutMs: TIMEOUT_MS } });
  worker = startWorker(feira.context);
});
afterAll(async () => {
  await worker.stop();
  await feira.close();
});

async function write({ workspaceId }: StoreClient, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, i) => ({
    event: 'product.created' as const,
    data: { id: `${i}`, name: `${i}` },
  }));
  await feira.context.db.store('test').transaction((tx) => emit(tx, workspaceId, 'system', events));
  feira.context.wake.poke();
}

test('events reach a healthy receiver while fifty others, with a backlog each, do not answer', {
  timeout: 120_000,
}, async () => {
  const hanging: Receiver[] = [];
  for (let each = 0; each < HANGING_STORES; each++) {
    const slow = await feira.store();
    for (let index = 0; index < HANGING_PER_STORE; index++) {
      const receiver = await Receiver.open();
      receiver.answer = () => {};
      hanging.push(receiver);
      await subscribe(slow, receiver.url);
    }
    await write(slow, BACKLOG);
  }
  const healthy = await Receiver.open();
  try {
    const store = await feira.store();
    await subscribe(store, healthy.url);
    // The events of the hanging receivers are older than the first event of this store.
    for (let probe = 1; probe <= PROBES; probe++) {
      await write(store, 1);
      await until(() => healthy.received.length === probe);
    }
    await until(() => hanging.every(({ received }) => received.length > 0));
    await write(store, 1);
    await until(() => healthy.received.length === PROBES + 1);

    // No delivery to a hanging receiver has ended, so the healthy receiver has not waited for any of them.
    const [ended] = await feira.context.db.store('test').query<{ count: number }>(sql`
      select count(*) from delivery_attempts where workspace_id <> ${store.workspaceId}`);
    expect(ended!.count).toBe(0);
    expect(Math.max(...hanging.map(({ mostSockets }) => mostSockets))).toBeLessThanOrEqual(4);
  } finally {
    await Promise.all([healthy, ...hanging].map((receiver) => receiver.close()));
  }
});
