import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DELIVERY_CHANNEL, EVENT_CHANNEL } from '../../src/events/channels.js';
import { DeliveryWake } from '../../src/webhooks/wake.js';
import { startWorker } from '../../src/worker.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { type Subscription, subscribe } from '../support/webhooks.js';

let feira: Feira;
let store: StoreClient;
let receiver: Receiver;
let hook: Subscription;
let listener: pg.Client;
/** The channels of all notifications so far. */
let notified: string[];

beforeEach(async () => {
  feira = await openFeira();
  store = await feira.store();
  receiver = await Receiver.open();
  hook = await subscribe(store, receiver.url);
  notified = [];
  listener = new pg.Client(feira.connection);
  await listener.connect();
  listener.on('notification', ({ channel }) => notified.push(channel));
  await listener.query(`listen ${EVENT_CHANNEL}; listen ${DELIVERY_CHANNEL}; listen test_marker`);
});
afterEach(async () => {
  await listener.end();
  await receiver.close();
  await feira.close();
});

const replay = () => store.post(`/webhooks/${hook.id}/replay`, { from: '2026-01-01', status: 'all' });

test('a process without a worker notifies the workers of events, and of deliveries that a read or a replay makes due', async () => {
  await newProduct(store);
  await until(() => notified.includes(EVENT_CHANNEL));
  // The read finds the event without a number, so it numbers the event and adds the delivery.
  expect((await store.get('/events')).body.data).toHaveLength(1);
  await until(() => notified.includes(DELIVERY_CHANNEL));
  notified.length = 0;
  expect((await replay()).status).toBe(200);
  await until(() => notified.includes(DELIVERY_CHANNEL));
});

test.each([
  [true, ['dispatcher', 'sequencer', 'sequencer']],
  [false, []],
])('a process wakes its own worker if it has one (%s)', async (isRunning, expected) => {
  const woken: string[] = [];
  const part = (name: string) => ({ isRunning, wake: () => void woken.push(name) });
  const wake = new DeliveryWake(feira.context.db.system('wake'), part('sequencer'), part('dispatcher'));
  wake.deliveriesAreDue();
  wake.poke();
  // This one waits until the pause after the first one is over.
  wake.poke();
  await until(() => woken.length === expected.length);
  expect(woken).toEqual(expected);
  wake.close();
});

test('a process with a worker wakes it without a notification', async () => {
  const worker = startWorker(feira.context);
  try {
    await newProduct(store);
    await until(() => receiver.received.length === 1);
    // A delivery can be replayed as soon as its result is recorded.
    await until(async () => (await replay()).body.count === 1);
    await until(() => receiver.received.length === 2);
    // Notifications arrive in the order in which they were sent.
    await listener.query('notify test_marker');
    await until(() => notified.includes('test_marker'));
    expect(notified).toEqual(['test_marker']);
  } finally {
    await worker.stop();
  }
});
