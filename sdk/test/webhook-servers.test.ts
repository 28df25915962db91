import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorker } from '../../server/src/worker.js';
import { until } from '../../server/test/support/process.js';
import { sign } from '../src/testing.js';
import { type WebhookEvent, Webhooks } from '../src/webhooks.js';
import { type LiveServer, openLiveServer } from './support/live-server.js';
import { PAID, receiver, SECRET } from './support/webhook-receiver.js';

async function listening(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function post(url: string): Promise<number> {
  const { body, headers } = await sign(PAID, SECRET);
  return (await fetch(url, { method: 'POST', body, headers })).status;
}

test('Webhooks accepts an unread body and a raw one, as after express.raw(), and reports a parsed one, as after express.json()', async () => {
  const { hooks, events, errors } = receiver();
  const plain = await listening(hooks.node);
  expect(await post(plain.url)).toBe(204);
  await plain.close();
  const raw = await listening(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    await hooks.node(Object.assign(request, { body }), response);
  });
  expect(await post(raw.url)).toBe(204);
  await raw.close();
  expect(events).toHaveLength(2);
  const parsed = await listening((request, response) =>
    hooks.node(Object.assign(request, { body: {} }), response),
  );
  expect(await post(parsed.url)).toBe(500);
  await parsed.close();
  expect(errors).toMatchObject([{ code: 'body_parsed' }]);
  expect(String(errors[0])).toContain('before express.json()');
});

test('Webhooks works with Fastify beside routes that parse JSON', async () => {
  const { hooks, events } = receiver();
  const app = fastify();
  app.register(hooks.fastify, { path: '/hooks' });
  app.post('/other', async (request) => request.body);
  const { body, headers } = await sign(PAID, SECRET);
  expect((await app.inject({ method: 'POST', url: '/hooks', body, headers })).statusCode).toBe(204);
  expect(events).toHaveLength(1);
  expect((await app.inject({ method: 'POST', url: '/other', body: { a: 1 } })).json()).toEqual({ a: 1 });
  await app.close();
});

let server: LiveServer;
beforeAll(async () => {
  server = await openLiveServer();
});
afterAll(() => server.close());

test('Webhooks receives what the real server delivers', async () => {
  const { client } = await server.connect();
  const events: WebhookEvent[] = [];
  let hooks: Webhooks | undefined;
  const target = await listening((request, response) => void hooks!.node(request, response));
  const { secret, id } = await client.webhooks.create({ url: target.url, events: ['product.created'] });
  hooks = new Webhooks({ secret: secret as string });
  hooks
    .on('product.created', (event) => events.push(event))
    .on('ping', (event) => events.push(event as never));
  const product = await client.products.create({ name: 'Caneca', price: 10 });
  const worker = startWorker(server.context);
  await until(() => events.length === 1);
  expect(events[0]).toMatchObject({ data: { id: product.id, name: 'Caneca' }, sequence: 1, attempt: 1 });
  expect(await client.webhooks.ping(id)).toMatchObject({ delivered: true });
  expect(events).toHaveLength(2);
  await worker.stop();
  await target.close();
});
