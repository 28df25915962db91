import { createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startWorker, type Worker } from '../../src/worker.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';

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

async function subscribe(
  events = ['product.created', 'product.updated', 'product.deleted', 'stock.updated'],
) {
  const answer = await store.post('/webhooks', { url: `${receiver.url}/hook`, events });
  expect(answer.status).toBe(201);
  return answer.body as { id: string; secret: string };
}

/** A receiver as an integrator would write it from the specification. */
function isGenuine(
  secret: string,
  { body, headers }: { body: string; headers: Record<string, string> },
): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(headers['x-service-signature-256'] ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

describe('a change', () => {
  test('arrives as one signed POST with exactly event, workspaceId and data', async () => {
    const { secret } = await subscribe();
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

  test('goes to each subscription of the store that asked for it, and to nobody else', async () => {
    await subscribe(['stock.updated']);
    await subscribe(['product.created', 'stock.updated']);
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
