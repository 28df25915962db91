import { expect, test } from 'vitest';
import { emit } from '../../src/events/outbox.js';
import { sql } from '../../src/platform/db/sql.js';
import { startWorker } from '../../src/worker.js';
import { openFeira } from '../support/feira.js';
import { until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { pass, subscribe } from '../support/webhooks.js';

const CROWD = 2_000;

test('the retries of 2,000 deliveries that failed together are spread: no second has more than twice the mean', async () => {
  // The first wait is longer than all first attempts take, so that every delivery is tried once before any is retried.
  const feira = await openFeira({ webhooks: { backoff: { firstMs: 60_000, factor: 2 } } });
  const worker = startWorker(feira.context);
  const receiver = await Receiver.open();
  try {
    receiver.answer = (_, response) => void response.writeHead(500).end();
    const store = await feira.store();
    await subscribe(store, receiver.url);
    const events = Array.from({ length: CROWD }, (_, i) => ({
      event: 'product.created' as const,
      data: { id: `${i}`, name: `${i}` },
    }));
    await feira.context.db.store('test').transaction((tx) => emit(tx, store.workspaceId, 'system', events));
    feira.context.sequencer.wake();
    const tried = async (attempts: number) => {
      const [row] = await feira.context.db.store('test').query<{ count: number }>(sql`
        select count(*) from deliveries where workspace_id = ${store.workspaceId} and attempts = ${attempts}`);
      return row!.count === CROWD;
    };
    await until(() => tried(1));
    pass(feira, 80_000);
    await until(() => tried(2));
    const seconds = await feira.context.db.store('test').query<{ second: string; count: number }>(sql`
      select date_trunc('second', next_at) as second, count(*) from deliveries
      where workspace_id = ${store.workspaceId} group by 1 order by 1`);
    const span = (Date.parse(seconds.at(-1)!.second) - Date.parse(seconds[0]!.second)) / 1000 + 1;
    // The jitter is ±20% of a wait of two minutes, so the retries are spread over about 48 seconds.
    expect(span).toBeGreaterThan(40);
    expect(Math.max(...seconds.map(({ count }) => count))).toBeLessThanOrEqual((2 * CROWD) / span);
  } finally {
    await worker.stop();
    await receiver.close();
    await feira.close();
  }
});
