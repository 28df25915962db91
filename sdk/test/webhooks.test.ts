import { expect, test } from 'vitest';
import { newWebhookSecret, signedHeaders } from '../../server/src/webhooks/signing.js';
import { sign } from '../src/testing.js';
import { Webhooks } from '../src/webhooks.js';
import { PAID, receiver, SECRET } from './support/webhook-receiver.js';

const OTHER = newWebhookSecret();

function requestOf({ body, headers }: { body: string; headers: Record<string, string> }): Request {
  return new Request('https://erp.example/hooks', { method: 'POST', body, headers });
}

test('sign() creates the same headers as the server, except User-Agent', async () => {
  const at = new Date('2026-11-15T12:00:00Z');
  const delivery = { ...PAID, id: 'd1', workspaceId: 'w1', sequence: 7, origin: 'gateway', attempt: 2, at };
  const { body, headers } = await sign(delivery, SECRET, { previousSecret: OTHER });
  const sent = signedHeaders({ ...delivery, body }, { current: SECRET, previous: OTHER }, at.getTime());
  const lowerCase = Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const { 'user-agent': _, ...expected } = lowerCase;
  expect(headers).toEqual(expected);
});

test('a handler gets the event it is registered for, with typed data', async () => {
  const { hooks } = receiver();
  const orders: string[] = [];
  hooks.on('order.paid', ({ data }) => orders.push(data.orderId));
  const response = await hooks.fetch(requestOf(await sign(PAID, SECRET)));
  expect(response.status).toBe(204);
  expect(orders).toEqual(['o1']);
});

test.each(['standard', 'service'] as const)(
  'during a rotation, a receiver with the old or the new secret accepts a delivery (%s)',
  async (scheme) => {
    const signed = await sign(PAID, SECRET, { previousSecret: OTHER });
    for (const secret of [SECRET, OTHER, [newWebhookSecret(), OTHER]]) {
      const { hooks, events } = receiver({ secret, scheme });
      await hooks.fetch(requestOf(signed));
      expect(events).toMatchObject([{ event: 'order.paid', sequence: 1, origin: 'storefront', attempt: 1 }]);
    }
  },
);

test.each(['standard', 'service'] as const)(
  'rejects a delivery whose body was changed or that was signed with another secret (%s)',
  async (scheme) => {
    const { hooks, events, errors } = receiver({ scheme });
    const signed = await sign(PAID, SECRET);
    const changed = { ...signed, body: signed.body.replace('o1', 'o2') };
    for (const each of [changed, await sign(PAID, OTHER)])
      expect((await hooks.fetch(requestOf(each))).status).toBe(401);
    expect(events).toEqual([]);
    expect(errors).toMatchObject([{ code: 'wrong_signature' }, { code: 'wrong_signature' }]);
  },
);

test.each([
  ['webhook-id', 'another id'],
  ['webhook-timestamp', '1'],
])('rejects a delivery whose %s was changed', async (name, value) => {
  const { hooks } = receiver();
  const { body, headers } = await sign(PAID, SECRET);
  expect((await hooks.fetch(requestOf({ body, headers: { ...headers, [name]: value } }))).status).toBe(401);
});

test('reports a delivery whose time differs too much from the clock', async () => {
  const { hooks, errors } = receiver();
  await hooks.fetch(requestOf(await sign({ ...PAID, at: new Date(Date.now() - 301_500) }, SECRET)));
  await hooks.fetch(requestOf(await sign({ ...PAID, at: new Date(Date.now() + 400_000) }, SECRET)));
  expect(errors).toMatchObject([{ code: 'wrong_time' }, { code: 'wrong_time' }]);
  expect(String(errors[0])).toMatch(/signed 30\d seconds ago; the limit is 300 seconds. Check the clock/);
  expect(String(errors[1])).toMatch(/seconds in the future/);
});

test.each(['', 'soon'])('reports a delivery with the time %j', async (time) => {
  const { hooks, errors } = receiver({ scheme: 'service' });
  const { body, headers } = await sign(PAID, SECRET);
  const changed = { ...headers, 'webhook-timestamp': time, 'x-service-timestamp': time };
  expect((await hooks.fetch(requestOf({ body, headers: changed }))).status).toBe(401);
  expect(errors).toMatchObject([{ code: 'wrong_time' }]);
  expect(String(errors[0])).toContain('is missing or is not a number');
});

test('reports a body that was parsed and serialized again', async () => {
  const { hooks, errors } = receiver();
  const { body, headers } = await sign(PAID, SECRET);
  await hooks.fetch(requestOf({ body: JSON.stringify(JSON.parse(body), null, 2), headers }));
  expect(errors).toMatchObject([{ code: 'body_changed' }]);
});

test('reports a body that was already read', async () => {
  const { hooks, errors } = receiver();
  const request = requestOf(await sign(PAID, SECRET));
  await request.json();
  expect((await hooks.fetch(request)).status).toBe(500);
  expect(errors).toMatchObject([{ code: 'body_parsed' }]);
});

test('reports a missing signature', async () => {
  const { hooks, errors } = receiver();
  expect((await hooks.fetch(requestOf({ body: '{}', headers: {} }))).status).toBe(401);
  expect(errors).toMatchObject([{ code: 'missing_signature' }]);
});

test.each([
  [SECRET.slice('whsec_'.length), 'without whsec_'],
  [`${SECRET}\n`, 'followed by spaces'],
  [SECRET.slice(0, 30), 'cut off'],
  [undefined, 'of type undefined'],
])('the constructor rejects a malformed secret (%#)', (secret, reason) => {
  expect(() => new Webhooks({ secret: secret as string })).toThrow(reason);
});

test('handles a delivery again after a failure, but not after a success', async () => {
  const { hooks, events, errors } = receiver();
  const signed = await sign({ ...PAID, id: 'd1' }, SECRET);
  let isDown = true;
  hooks.on('order.paid', () => {
    if (isDown) throw new Error('the database is unreachable');
  });
  expect((await hooks.fetch(requestOf(signed))).status).toBe(500);
  isDown = false;
  expect((await hooks.fetch(requestOf(signed))).status).toBe(204);
  expect((await hooks.fetch(requestOf(signed))).status).toBe(204);
  expect(events).toHaveLength(1);
  expect(errors).toHaveLength(1);
});

test('handles a delivery only once, even if it is sent again with another X-Service-Delivery, which the standard signature does not cover', async () => {
  const { hooks, events } = receiver();
  const { body, headers } = await sign({ ...PAID, id: 'd1' }, SECRET);
  await hooks.fetch(requestOf({ body, headers }));
  const again = { body, headers: { ...headers, 'x-service-delivery': 'd2' } };
  expect((await hooks.fetch(requestOf(again))).status).toBe(204);
  expect(events.map(({ id }) => id)).toEqual(['d1']);
});

test('with the option scheme: service, the id of an event is its X-Service-Delivery', async () => {
  const { hooks, events } = receiver({ scheme: 'service' });
  const { body, headers } = await sign(PAID, SECRET);
  await hooks.fetch(requestOf({ body, headers: { ...headers, 'x-service-delivery': 'd1' } }));
  expect(events).toMatchObject([{ id: 'd1' }]);
});

test('a delivery that arrives again while its handler still runs is answered with 503, so that it is sent again later', async () => {
  const { hooks, events, errors } = receiver();
  const signed = await sign({ ...PAID, id: 'd1' }, SECRET);
  let finish = () => {};
  const called = new Promise<void>((resolve) => {
    hooks.on('order.paid', () => {
      resolve();
      return new Promise<void>((done) => {
        finish = done;
      });
    });
  });
  const first = hooks.fetch(requestOf(signed));
  await called;
  expect((await hooks.fetch(requestOf(signed))).status).toBe(503);
  finish();
  expect((await first).status).toBe(204);
  expect((await hooks.fetch(requestOf(signed))).status).toBe(204);
  expect(events).toHaveLength(1);
  expect(errors).toMatchObject([{ code: 'in_progress' }]);
});

const stockUpdated = async (sequence: number, sku: string) =>
  requestOf(await sign({ event: 'stock.updated', data: { id: 'p1', sku, quantity: 3 }, sequence }, SECRET));

test('drops an event that is older than a handled event of the same name for the same variation', async () => {
  const { hooks, events } = receiver();
  await hooks.fetch(await stockUpdated(8, 'A'));
  await hooks.fetch(await stockUpdated(5, 'A'));
  await hooks.fetch(await stockUpdated(6, 'B'));
  expect(events.map(({ sequence }) => sequence)).toEqual([8, 6]);
});

test('handles every stock.updated of variations without a SKU, which cannot be told apart, until the product is deleted', async () => {
  const { hooks, events } = receiver();
  await hooks.fetch(await stockUpdated(8, ''));
  await hooks.fetch(await stockUpdated(5, ''));
  await hooks.fetch(
    requestOf(await sign({ event: 'product.deleted', data: { id: 'p1' }, sequence: 9 }, SECRET)),
  );
  await hooks.fetch(await stockUpdated(7, ''));
  expect(events.map(({ sequence }) => sequence)).toEqual([8, 5, 9]);
});

test('drops older events of a product that arrive after its deletion, but handles an order.created that arrives after order.paid', async () => {
  const { hooks, events } = receiver();
  const send = async (sequence: number, delivery: Parameters<typeof sign>[0]) =>
    hooks.fetch(requestOf(await sign({ ...delivery, sequence }, SECRET)));
  await send(9, { event: 'product.deleted', data: { id: 'p1' } });
  await send(8, { event: 'product.created', data: { id: 'p1', name: 'Caneca' } });
  await send(7, PAID);
  await send(6, { event: 'order.created', data: { orderId: 'o1' } });
  expect(events.map(({ event }) => event)).toEqual(['product.deleted', 'order.paid', 'order.created']);
});
