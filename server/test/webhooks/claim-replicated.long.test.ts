import pg from 'pg';
import { expect, test } from 'vitest';
import { claimDue } from '../../src/webhooks/claim.js';
import { Fleet } from '../support/fleet.js';
import { until } from '../support/process.js';

// If a primary is killed, an event that it has just numbered may get another number after the failover. So no delivery
// of the event may be sent before the standby has its number.
test('claimDue does not return while the synchronous standby is unreachable', async () => {
  const fleet = await Fleet.open();
  const admin = new pg.Client(fleet.connection);
  try {
    await admin.connect();
    await fleet.start('api', 1);
    const store = await fleet.store();
    await fleet.call(store, 'POST', '/webhooks', { url: 'http://127.0.0.1:9/', events: ['product.created'] });
    await fleet.call(store, 'POST', '/products', { name: 'Shirt', price: 1 });
    // Reading the feed assigns the event its number. No worker is running, so only claimDue below claims the delivery.
    await fleet.call(store, 'GET', '/events');
    const setStandby = async (name: string) => {
      await admin.query(`alter system set synchronous_standby_names = '${name}'`);
      await admin.query('select pg_reload_conf()');
    };

    await setStandby('unreachable');
    let isAnswered = false;
    const claimed = claimDue(fleet.db.background('test'), {
      now: Date.now(),
      leaseMs: 60_000,
      max: 10,
      maxPerOther: 10,
      wanted: [],
    }).finally(() => {
      isAnswered = true;
    });
    await until(async () => {
      const { rows } = await admin.query(`select from pg_stat_activity where wait_event = 'SyncRep'`);
      return rows.length === 1;
    });
    expect(isAnswered).toBe(false);
    await setStandby('');
    expect(await claimed).toMatchObject([{ event: 'product.created', sequence: 1 }]);
  } finally {
    await admin.end();
    await fleet.close();
  }
});
