import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { newProduct } from '../support/catalog.js';
import { runCommand } from '../support/command-line.js';
import { databaseEnv } from '../support/database.js';
import { type Feira, openFeira, type StoreClient, TEST_SECRET } from '../support/feira.js';
import {
  type CommandProcess,
  feiraCommand,
  startCommand,
  temporaryFolder,
  until,
} from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { isGenuine } from '../support/webhooks.js';

let feira: Feira;
let folder: ReturnType<typeof temporaryFolder>;
let receiver: Receiver;
let store: StoreClient;
let env: Record<string, string>;
const listeners = new Set<CommandProcess>();

beforeAll(async () => {
  feira = await openFeira();
  folder = temporaryFolder();
  env = { ...databaseEnv(feira.connection, TEST_SECRET), FEIRA_DATA: folder.path };
});
afterAll(async () => {
  await feira.close();
  folder.remove();
});
beforeEach(async () => {
  receiver = await Receiver.open();
  store = await feira.store();
});
afterEach(async () => {
  for (const listener of listeners) await listener.stop('SIGKILL');
  listeners.clear();
  await receiver.close();
});

/** Listening once it has printed its secret: from then on it misses nothing. */
async function listen(...more: string[]): Promise<CommandProcess & { secret: string }> {
  const options = ['--store', store.workspaceId, '--client-id', store.clientId, '--forward-to', receiver.url];
  const listener = startCommand(['listen', ...options, ...more], env);
  listeners.add(listener);
  const printed = /whsec_[A-Za-z0-9+/=]+/;
  await until(() => {
    if (listener.child.exitCode !== null) throw new Error(`listen ended:\n${listener.output()}`);
    return printed.test(listener.output());
  });
  return { ...listener, secret: printed.exec(listener.output())![0] };
}

const receivedIds = () => receiver.received.map(({ headers }) => headers['x-service-delivery']!);

async function feed() {
  const events: { id: string; sequence: number; event: string; origin: string; data: unknown }[] = [];
  for (let after = ''; ; ) {
    const { data, meta } = (await store.get(`/events?limit=100${after && `&after=${after}`}`)).body;
    events.push(...data);
    if (!meta.hasMore) return events;
    after = meta.nextCursor;
  }
}

test('posts each event as a delivery would be: same body, same headers, both signatures', async () => {
  const listener = await listen();
  await newProduct(store, { quantity: 1 });
  await until(() => receiver.received.length >= 1);
  const [event] = await feed();
  const [request] = receiver.received;
  expect(JSON.parse(request!.body)).toEqual({
    event: 'product.created',
    workspaceId: store.workspaceId,
    data: event!.data,
  });
  expect(request!.headers).toMatchObject({
    'x-service-event': 'product.created',
    'x-service-delivery': event!.id,
    'x-service-sequence': String(event!.sequence),
    'x-service-origin': `app:${store.clientId}`,
    'x-service-attempt': '1',
  });
  expect(isGenuine(listener.secret, request!)).toBe(true);
  expect(() => new Webhook(listener.secret).verify(request!.body, request!.headers)).not.toThrow();
  await until(() => /\bproduct\.created {2}204\b/.test(listener.output()));
  expect(await listener.stop('SIGINT')).toBe(0);
});

test('repeats an event until it is acknowledged, before it sends the next one', async () => {
  let refusals = 2;
  receiver.answer = (_request, response) => void response.writeHead(refusals-- > 0 ? 500 : 200).end();
  await listen();
  await newProduct(store);
  await newProduct(store);
  await until(() => receiver.received.length === 4);
  const [first, second] = (await feed()).map(({ id }) => id);
  expect(receivedIds()).toEqual([first, first, first, second]);
  expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3', '1']);
});

test('continues after Ctrl-C with the same secret, and sends again only what --replay asks for', async () => {
  await newProduct(store);
  const first = await listen();
  await newProduct(store);
  await until(() => receiver.received.length === 1);
  await until(() => first.output().includes('product.created'));
  expect(await first.stop('SIGINT')).toBe(0);
  await newProduct(store);
  const second = await listen();
  expect(second.secret).toBe(first.secret);
  await until(() => receiver.received.length === 2);
  await until(() => second.output().includes('product.created'));
  expect(await second.stop('SIGTERM')).toBe(0);
  const ids = (await feed()).map(({ id }) => id);
  expect(receivedIds()).toEqual(ids.slice(1));
  await listen('--replay', '1h');
  await until(() => receiver.received.length === 5);
  expect(receivedIds().slice(2)).toEqual(ids);
});

test('killed under load and started again, it has sent every event, and at most the one in flight twice', async () => {
  await newProduct(store, { quantity: 100_000 });
  const first = await listen('--replay', '1h');
  const shop = feiraCommand(['simulate', '--store', store.workspaceId, '--rate', '10/s', '--for', '6s'], env);
  await until(() => receiver.received.length > 10);
  await first.stop('SIGKILL');
  const atKill = receiver.received.length;
  await until(async () => (await feed()).length > atKill + 10);
  await listen('--replay', '1h');
  expect((await shop).code).toBe(0);
  const ids = (await feed()).map(({ id }) => id);
  await until(() => new Set(receivedIds()).size === ids.length);
  const received = receivedIds();
  const inFlight = received[atKill - 1];
  const withoutRepeat = received.filter((id, index) => index !== atKill || id !== inFlight);
  expect(withoutRepeat).toEqual(ids);
});

test('refuses an address that it cannot post to', async () => {
  const options = ['--store', store.workspaceId, '--client-id', store.clientId];
  for (const address of ['ftp://localhost/x', 'http://user:word@localhost/', 'http://'])
    expect((await runCommand(['listen', ...options, '--forward-to', address], env)).stderr).toContain(
      '--forward-to must be an http or https address',
    );
});
