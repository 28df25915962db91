import { expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { Fleet } from '../support/fleet.js';
import { until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { storm } from '../support/storm/storm.js';

const KILLS = Number(process.env.FEIRA_KILLS ?? 12);
const EVENTS = 20_000;
const STORES = 8;

test(`no acknowledged write is lost or duplicated after ${KILLS} kills of API, worker and PostgreSQL`, {
  timeout: 300_000 + KILLS * 20_000,
}, async () => {
  const seed = Date.now() % 1_000_000;
  const { faults, ...figures } = await storm({ victims: ['worker', 'api', 'postgres'], kills: KILLS, seed });
  console.log({ seed, ...figures });
  expect(faults).toEqual([]);
});

test(`four worker processes deliver each of ${EVENTS} events once`, { timeout: 300_000 }, async () => {
  // The timeout is long because a receiver that is slow on a busy machine would otherwise cause retries.
  const fleet = await Fleet.open({ WEBHOOK_TIMEOUT_MS: '60000' });
  const receiver = await Receiver.open();
  try {
    await fleet.start('api', 1);
    for (let i = 0; i < STORES; i++) {
      const store = await fleet.store();
      await fleet.call(store, 'POST', '/webhooks', { url: receiver.url, events: ['product.created'] });
      await fleet.db.store('test').autocommit.query(sql`
        insert into outbox (workspace_id, event, data, origin)
        select ${store.workspaceId}, 'product.created', jsonb_build_object('id', n::text, 'name', 'x'), 'system'
        from generate_series(1, ${EVENTS / STORES}) n`);
    }
    const begun = performance.now();
    await fleet.start('worker', 4);
    await until(async () => {
      const [row] = await fleet.db
        .store('test')
        .query<{ count: number }>(
          sql`select (select count(*) from outbox) + (select count(*) from deliveries where status = 'pending') as count`,
        );
      return row!.count === 0;
    }, 240_000);
    const seconds = (performance.now() - begun) / 1000;
    const ids = receiver.received.map(({ headers }) => headers['x-service-delivery']);
    console.log({ arrivals: ids.length, distinct: new Set(ids).size, seconds: Math.round(seconds) });
    expect(new Set(ids).size).toBe(EVENTS);
    expect(ids).toHaveLength(EVENTS);
  } finally {
    await fleet.close();
    await receiver.close();
  }
});
