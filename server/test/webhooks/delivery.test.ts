import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startWorker, type Worker } from '../../src/worker.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { isGenuine, subscribe } from '../support/webhooks.js';

let feira: Feira;
let worker: Worker;
let receiver: Receiver;
let store: StoreClient;

beforeAll(async () => {
  feira = await openFeira();
  worker = startWorker(feira.context);
  receiver = await Receiver.open();
});
afterAll(async () => {
  await worker.stop();
  await receiver.close();
  await feira.close();
});
beforeEach(async () => {
  store = await feira.store();
  receiver.received.length = 0;
});

const CATALOG = ['product.created', 'product.updated', 'product.deleted', 'stock.updated'];

describe('a change', () => {
  test('arrives as one signed POST whose body has exactly the fields event, workspaceId and data', async () => {
    const { secret } = await subscribe(store, `${receiver.url}/hook`, CATALOG);
    const { body: product } = await store.post('/products', { name: 'Shirt', price: 10 });
    await until(() => receiver.received.length === 1);
    const [delivery] = receiver.received;
    expect(JSON.parse(delivery!.body)).toEqual({
      event: 'product.created',
      workspaceId: store.workspaceId,
      data: { id: product.id, name: 'Shirt' },
    });
    expect(delivery!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'product.created',
      'x-service-attempt': '1',
      'webhook-id': delivery!.headers['x-service-delivery'],
      'webhook-timestamp': delivery!.headers['x-service-timestamp'],
    });
    expect(isGenuine(secret, delivery!)).toBe(true);
    expect(isGenuine(`${secret}x`, delivery!)).toBe(false);
    new Webhook(secret).verify(delivery!.body, delivery!.headers);
    expect(() => new Webhook(secret).verify(`${delivery!.body} `, delivery!.headers)).toThrow();
  });

  test('goes to each subscription to its event in the same store, and to no other', async () => {
    await subscribe(store, `${receiver.url}/hook`, ['stock.updated']);
    await subscribe(store, `${receiver.url}/hook`, ['product.created', 'stock.updated']);
    const other = await feira.store();
    await other.post('/webhooks', { url: `${receiver.url}/other`, events: ['stock.updated'] });
    const { body: product } = await store.post('/products', { name: 'Shirt', price: 10, quantity: 1 });
    await store.patch(`/products/${product.id}/stock`, { quantity: 5 });
    await until(() => receiver.received.length === 3);
    expect(receiver.bodies('stock.updated')).toHaveLength(2);
    expect(receiver.bodies('product.created')).toHaveLength(1);
    expect(receiver.received.every(({ path }) => path === '/hook')).toBe(true);
  });
});
