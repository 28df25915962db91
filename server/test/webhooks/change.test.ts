import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startWorker } from '../../src/worker.js';
import { newProduct } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { isGenuine, readLog, type Subscription, subscribe } from '../support/webhooks.js';

// No worker is running unless a test starts one. Events stay in the outbox until an API call turns them into
// deliveries, which stay pending.
let feira: Feira;
let receiver: Receiver;
let store: StoreClient;
let hook: Subscription;

beforeAll(async () => {
  feira = await openFeira();
  receiver = await Receiver.open();
});
afterAll(async () => {
  await receiver.close();
  await feira.close();
});
beforeEach(async () => {
  receiver.received.length = 0;
  store = await feira.store();
  hook = await subscribe(store, `${receiver.url}/hook`, ['product.created']);
});

const change = (body: unknown, headers = {}) => store.patch(`/webhooks/${hook.id}`, body, headers);
const read = async () => (await store.get(`/webhooks/${hook.id}`)).body;

describe('a PATCH of a subscription', () => {
  test('changes the fields that were sent and keeps the others', async () => {
    let expected = await read();
    for (const part of [
      { url: `${receiver.url}/other` },
      { events: ['product.updated', 'stock.updated'] },
      { filter: { fields: ['price', 'variants'] } },
      { excludeOwn: true },
      { filter: { fields: ['name'] }, events: ['product.updated'] },
      { filter: null },
      { excludeOwn: false },
    ]) {
      const answer = await change(part);
      expected = { ...expected, ...part };
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(expected);
      expect(await read()).toEqual(expected);
    }
  });

  test('stores repeated events and fields once', async () => {
    const events = ['product.updated', 'order.paid', 'product.updated'];
    const { body } = await change({ events, filter: { fields: ['price', 'price'] } });
    expect(body.events).toEqual(['product.updated', 'order.paid']);
    expect(body.filter).toEqual({ fields: ['price'] });
  });

  test.each<[unknown, string[]]>([
    [{}, ['body']],
    [{ secret: 'whsec_mine' }, ['body']],
    [{ url: null }, ['url']],
    [{ url: 'ftp://erp.example/' }, ['url']],
    [{ url: 'http://user:secret@erp.example/' }, ['url']],
    [{ events: null }, ['events']],
    [{ events: [] }, ['events']],
    [{ events: ['order.lost'] }, ['events[0]']],
    [{ filter: {} }, ['filter.fields']],
    [{ filter: { fields: ['stock'] } }, ['filter.fields[0]']],
    [{ excludeOwn: null }, ['excludeOwn']],
    [{ url: 7, events: [], filter: 1, excludeOwn: 'no' }, ['events', 'excludeOwn', 'filter', 'url']],
  ])('with the body %j is rejected as a whole', async (body, fields) => {
    const before = await read();
    expectRejected(await change(body), 422, fields);
    expectRejected(await change({ excludeOwn: true, ...(body as object), url: 'nowhere' }), 422);
    expect(await read()).toEqual(before);
  });

  test('checks the new url like that of a new subscription', async () => {
    const guarded = await openFeira({ on: feira, webhooks: { allowPrivate: false } });
    const outside = store.through(guarded);
    const path = `/webhooks/${hook.id}`;
    expectRejected(await outside.patch(path, { url: 'http://169.254.169.254/', excludeOwn: true }), 422, [
      'url',
    ]);
    expect(await read()).toMatchObject({ url: `${receiver.url}/hook`, excludeOwn: false });
    expect((await outside.patch(path, { url: 'http://203.0.114.1/hook' })).status).toBe(200);
    await guarded.close();
  });

  test('is not applied again when it is repeated with the same Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'change' };
    const first = await change({ excludeOwn: true }, key);
    await change({ excludeOwn: false });
    const again = await change({ excludeOwn: true }, key);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual(first.body);
    expect((await read()).excludeOwn).toBe(false);
  });

  test('with an Idempotency-Key succeeds in a new database, before its first event epoch is stored', async () => {
    const unread = await openFeira();
    const client = await unread.store();
    const { body } = await client.post('/webhooks', { url: `${receiver.url}/hook`, events: ['order.paid'] });
    const key = { 'idempotency-key': 'first change' };
    const changed = await client.patch(`/webhooks/${body.id}`, { excludeOwn: true }, key);
    expect(changed).toMatchObject({ status: 200, body: { excludeOwn: true } });
    await unread.close();
  });

  test.each([{}, { 'idempotency-key': 'events' }])(
    'applies to events committed after it and not to earlier ones (headers %j)',
    async (headers) => {
      const product = await newProduct(store);
      await store.patch(`/products/${product}`, { price: 1 });
      await change({ events: ['product.updated'], filter: { fields: ['price'] } }, headers);
      await store.patch(`/products/${product}`, { price: 2 });
      await store.patch(`/products/${product}`, { name: 'Renamed' });
      await newProduct(store);
      await change({ events: ['product.updated', 'product.created'], filter: null });
      await store.patch(`/products/${product}`, { name: 'Renamed again' });
      const log = await readLog(store, hook.id);
      expect(log.map(({ event }) => event)).toEqual([
        'product.updated',
        'product.updated',
        'product.created',
      ]);
    },
  );

  test('makes pending deliveries go to the new url, signed with the same secret', async () => {
    await newProduct(store);
    await readLog(store, hook.id);
    await change({ url: `${receiver.url}/moved` });
    const worker = startWorker(feira.context);
    await until(async () => (await readLog(store, hook.id))[0]!.status === 'delivered');
    await worker.stop();
    const received = receiver.received.filter(({ body }) => body.includes(store.workspaceId));
    expect(received.map(({ path }) => path)).toEqual(['/moved']);
    expect(isGenuine(hook.secret, received[0]!)).toBe(true);
  });
});
