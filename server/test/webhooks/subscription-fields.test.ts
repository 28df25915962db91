import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await openFeira({ webhooks: { allowPrivate: false } });
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
});

function subscribe(body: object) {
  return store.post('/webhooks', { url: 'http://203.0.114.1/hook', events: ['stock.updated'], ...body });
}

describe('the url', () => {
  test.each([
    undefined,
    null,
    7,
    '',
    '/hook',
    'erp.example/hook',
    '//erp.example/hook',
    'ftp://erp.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'gopher://203.0.114.1/',
    'http://',
    'https://',
    'http://:80/',
    'http://203.0.114.1:99999/',
    'http://[::1',
    'http://a b/',
    'http:203.0.114.1/hook',
    'http://203.0.114.1/\0',
    `http://203.0.114.1/${'x'.repeat(2048)}`,
    'http://user@203.0.114.1/',
    'http://user:secret@203.0.114.1/',
    'http://:secret@203.0.114.1/',
    'http://203.0.114.1@203.0.114.2/',
  ])('%j is invalid and is rejected', async (bad) => {
    expectRejected(await subscribe({ url: bad }), 422, ['url']);
  });

  test.each([
    'http://localhost/',
    'http://LOCALHOST:8080/',
    'http://localhost./',
    'http://app.localhost/',
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://127.0.0.1./',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http://0/',
    'http://0.0.0.0/',
    'http://10.0.0.1/',
    'https://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.64.0.1/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
  ])('%s leads to an internal address and is rejected', async (inside) => {
    expectRejected(await subscribe({ url: inside }), 422, ['url']);
    expect((await store.get('/webhooks')).body.data).toEqual([]);
  });

  test.each(['https://203.0.114.1:8443/a?b=c#d', 'http://[2606:4700::1]/', 'HTTP://203.0.114.1'])(
    '%s is accepted and stored unchanged',
    async (good) => {
      const made = await subscribe({ url: good });
      expect(made.status).toBe(201);
      expect(made.body.url).toBe(good);
    },
  );
});

describe('the events', () => {
  const ALL = ['product.created', 'product.updated', 'product.deleted', 'stock.updated'].concat([
    'order.created',
    'order.paid',
    'order.shipped',
    'order.refunded',
    'order.canceled',
    'order.partially_refunded',
    'order.invoiced',
  ]);

  test('may include every event name', async () => {
    expect((await subscribe({ events: ALL })).body.events).toEqual(ALL);
  });

  test('are stored once if they are repeated', async () => {
    const made = await subscribe({ events: ['order.paid', 'stock.updated', 'order.paid'] });
    expect(made.body.events).toEqual(['order.paid', 'stock.updated']);
  });

  test.each<[string, unknown, string]>([
    ['absent', undefined, 'events'],
    ['null', null, 'events'],
    ['a text', 'stock.updated', 'events'],
    ['an empty list', [], 'events'],
    ['more numerous than the event names', [...ALL, ALL[0]], 'events'],
    ['unknown', ['order.lost'], 'events[0]'],
    ['in the wrong letter case', ['stock.updated', 'Order.Paid'], 'events[1]'],
    ['ping, which cannot be subscribed to', ['ping'], 'events[0]'],
    ['not text', [1], 'events[0]'],
  ])('are rejected when they are %s', async (_, events, field) => {
    expectRejected(await subscribe({ events }), 422, [field]);
  });

  test('that are invalid are reported together with an invalid url', async () => {
    expectRejected(await subscribe({ url: 'ftp://x', events: [] }), 422, ['events', 'url']);
  });
});
