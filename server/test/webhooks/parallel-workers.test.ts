import { expect, test } from 'vitest';
import { emit } from '../../src/events/outbox.js';
import { sql } from '../../src/platform/db/sql.js';
import { startWorker } from '../../src/worker.js';
import { openFeira, type StoreClient } from '../support/feira.js';
import { until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { sized } from '../support/sized.js';
import { subscribe } from '../support/webhooks.js';

// Each of four stores gets ten transactions with this many events.
const PER_TRANSACTION = sized(5, 25);
const EVENTS = 4 * 10 * PER_TRANSACTION;

test(`four concurrent workers deliver ${EVENTS} events once each`, async () => {
  // The receiver shares the event loop with the workers. The long timeout prevents failed attempts on a busy machine.
  const webhooks = { timeoutMs: 60_000 };
  const first = await openFeira({ webhooks });
  const fleet = [first, ...(await Promise.all([1, 2, 3].map(() => openFeira({ on: first, webhooks }))))];
  const receiver = await Receiver.open();
  const stores: StoreClient[] = [];
  for (let each = 0; each < 4; each++) stores.push(await first.store());
  const workers = fleet.map(({ context }) => startWorker(context));
  try {
    for (const store of stores) await subscribe(store, receiver.url);
    await Promise.all(
      stores.flatMap((store) =>
        Array.from({ length: 10 }, (_, i) =>
          first.context.db.store(store.workspaceId).transaction((tx) =>
            emit(
              tx,
              store.workspaceId,
              'system',
              Array.from({ length: PER_TRANSACTION }, (_, j) => ({
                event: 'product.created',
                data: { id: `${i}/${j}`, name: `${i}/${j}` },
              })),
            ),
          ),
        ),
      ),
    );
    first.context.wake.poke();
    await until(async () => {
      const [row] = await first.context.db
        .store('test')
        .query<{ count: number }>(sql`select count(*) from deliveries where status = 'delivered'`);
      return row!.count === EVENTS;
    });
    const ids = receiver.received.map(({ headers }) => headers['x-service-delivery']);
    expect(ids).toHaveLength(EVENTS);
    expect(new Set(ids).size).toBe(EVENTS);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    await receiver.close();
    for (const feira of fleet.reverse()) await feira.close();
  }
});
