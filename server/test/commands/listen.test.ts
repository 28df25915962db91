import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newProduct } from '../support/catalog.js';
import { runCommand } from '../support/command-line.js';
import { Listening } from '../support/listening.js';
import { until } from '../support/process.js';
import { isGenuine } from '../support/webhooks.js';

const listening = new Listening();

test('listen posts each event like a webhook delivery: same body, same headers, both signatures', async () => {
  const listener = await listening.listen();
  await newProduct(listening.store, { quantity: 1 });
  await until(() => listening.receiver.received.length >= 1);
  const [event] = await listening.feed();
  const [request] = listening.receiver.received;
  expect(JSON.parse(request!.body)).toEqual({
    event: 'product.created',
    workspaceId: listening.store.workspaceId,
    data: event!.data,
  });
  expect(request!.headers).toMatchObject({
    'x-service-event': 'product.created',
    'x-service-delivery': event!.id,
    'x-service-sequence': String(event!.sequence),
    'x-service-origin': `app:${listening.store.clientId}`,
    'x-service-attempt': '1',
  });
  expect(isGenuine(listener.secret, request!)).toBe(true);
  expect(() => new Webhook(listener.secret).verify(request!.body, request!.headers)).not.toThrow();
  await until(() => /\bproduct\.created {2}204\b/.test(listener.output()));
  expect(await listener.stop('SIGINT')).toBe(0);
});

test('listen repeats an event until it is acknowledged, before it sends the next one', async () => {
  let refusals = 2;
  listening.receiver.answer = (_request, response) =>
    void response.writeHead(refusals-- > 0 ? 500 : 200).end();
  await listening.listen();
  await newProduct(listening.store);
  await newProduct(listening.store);
  await until(() => listening.receiver.received.length === 4);
  const [first, second] = (await listening.feed()).map(({ id }) => id);
  expect(listening.receivedIds()).toEqual([first, first, first, second]);
  expect(listening.receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual([
    '1',
    '2',
    '3',
    '1',
  ]);
});

test('listen rejects an address that it cannot post to', async () => {
  const options = ['--store', listening.store.workspaceId, '--client-id', listening.store.clientId];
  for (const address of ['ftp://localhost/x', 'http://user:word@localhost/', 'http://'])
    expect(
      (await runCommand(['listen', ...options, '--forward-to', address], listening.env)).stderr,
    ).toContain('--forward-to must be an http or https address');
});
