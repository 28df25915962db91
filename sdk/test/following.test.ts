import { afterAll, beforeAll, expect, test } from 'vitest';
import { order } from '../../server/test/support/shop.js';
import { Feira } from '../src/client.js';
import type { FeiraError } from '../src/errors.js';
import type { Event, ProductDetail } from '../src/types.js';
import { InstantClock } from './support/instant-clock.js';
import { type LiveServer, openLiveServer } from './support/live-server.js';
import { refuse, type Script, ScriptedServer } from './support/scripted-server.js';

let server: LiveServer;
beforeAll(async () => {
  server = await openLiveServer();
});
afterAll(() => server.close());

async function createProducts(client: Feira, count: number, name = 'Product'): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++)
    ids.push((await client.products.create({ name: `${name} ${i}`, price: 1 })).id);
  return ids;
}

test('the client reads the event feed from its start, and continues from its cursor', async () => {
  const { client } = await server.connect();
  const ids = await createProducts(client, 3);
  const feed = client.events.after();
  const seen: Event[] = [];
  for await (const event of feed) seen.push(event);
  expect(seen.map(({ data }) => (data as { id: string }).id)).toEqual(ids);
  await client.products.delete(ids[0]!);
  const later: string[] = [];
  for await (const event of client.events.after(feed.cursor)) later.push(event.event);
  expect(later).toEqual(['product.deleted']);
});

test('the cursor moves only when a page has been processed', async () => {
  const { client } = await server.connect();
  await createProducts(client, 2);
  const feed = client.events.after();
  for await (const _ of feed) break;
  expect(feed.cursor).toBeUndefined();
  const pages = client.events.after();
  for await (const { data, cursor } of pages.pages()) {
    expect(data).toHaveLength(2);
    expect(pages.cursor).toBeUndefined();
    expect(cursor).toEqual(expect.any(String));
  }
  expect(pages.cursor).toEqual(expect.any(String));
});

test('the client follows the feed until the signal is aborted', async () => {
  const { client } = await server.connect();
  const abort = new AbortController();
  const names: string[] = [];
  const following = (async () => {
    for await (const event of client.events.after(undefined, {
      follow: true,
      everyMs: 1,
      signal: abort.signal,
    })) {
      names.push((event.data as { name: string }).name);
      if (names.length === 2) abort.abort();
    }
  })();
  await createProducts(client, 2);
  await following;
  expect(names).toEqual(['Product 0', 'Product 1']);
});

test('a cursor that the server does not accept causes an error', async () => {
  const { client } = await server.connect();
  const expired = Buffer.from('0123456789abcdef.5').toString('base64url');
  const error = await (async () => {
    for await (const _ of client.events.after(expired));
  })().catch((reason: FeiraError) => reason);
  expect([400, 410]).toContain((error as FeiraError).status);
});

test('orders are read in the sequence of their changes', async () => {
  const { client, store } = await server.connect();
  const { id } = await client.products.create({ name: 'Caneca', price: 10, quantity: 9, weight: 1 });
  const line = { productId: id, variantId: null, quantity: 1 };
  const orders = [await order(server, store.workspaceId, line), await order(server, store.workspaceId, line)];
  const changes = client.orders.changes();
  const seen: string[] = [];
  for await (const each of changes) seen.push(each.id);
  expect(seen).toEqual(orders);
  await client.orders.setShippingStatus(orders[0]!, { statusShipping: 'sent' });
  const later: string[] = [];
  for await (const each of client.orders.changes(changes.cursor))
    later.push(`${each.id} ${each.statusShipping}`);
  expect(later).toEqual([`${orders[0]} sent`]);
});

test('a snapshot has every record, and the event feed continues from it without a gap', async () => {
  const { client } = await server.connect();
  const ids = await createProducts(client, 4);
  const snapshot = client.products.snapshot();
  const products: ProductDetail[] = [];
  for await (const product of snapshot) {
    if (products.length === 0) await client.products.update(ids[3]!, { price: 2 });
    products.push(product);
  }
  expect(products.map(({ id }) => id).sort()).toEqual([...ids].sort());
  const events: string[] = [];
  for await (const { event, data } of snapshot.events())
    events.push(`${event} ${(data as { id: string }).id}`);
  expect(events).toEqual([`product.updated ${ids[3]}`]);
});

test('a snapshot has no cursor before it is complete', async () => {
  const { client } = await server.connect();
  await createProducts(client, 2);
  const snapshot = client.products.snapshot();
  for await (const _ of snapshot) {
    expect(() => snapshot.cursor).toThrow('Read all records of the snapshot before');
    break;
  }
  expect(() => snapshot.events()).toThrow('Read all records of the snapshot before');
  // Another snapshot is accepted only after the server has noticed that the reader left.
  await expect.poll(() => readAll(client), { timeout: 60_000 }).toBe(2);
});

async function readAll(client: Feira): Promise<number | string> {
  let count = 0;
  try {
    for await (const _ of client.products.snapshot()) count++;
    return count;
  } catch (error) {
    return (error as FeiraError).code;
  }
}

const HEAD = '{"snapshot":{"at":"2026-11-15T12:00:00Z","cursor":"c1"}}\n';
/** Returns a script that sends the text, then ends the response or breaks the connection. */
function stream(text: string, isBroken: boolean): Script {
  return (_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(text, () => (isBroken ? response.destroy() : response.end()));
  };
}
const WHOLE = `${HEAD}{"id":"1"}\n{"id":"2"}\n{"end":{"count":2}}\n`;

test.each([
  ['is cut off', stream(`${HEAD}{"id":"1"}\n{"id"`, true)],
  ['ends without its last line', stream(`${HEAD}{"id":"1"}\n`, false)],
  ['lacks a record', stream(`${HEAD}{"id":"1"}\n{"end":{"count":2}}\n`, false)],
])(
  'a snapshot that %s is reported as incomplete, or started again if onRestart is given',
  async (_name, broken) => {
    await using failing = await ScriptedServer.open(broken);
    const one = new Feira({ baseUrl: failing.url, token: 'token', clock: new InstantClock() });
    const error = await (async () => {
      for await (const _ of one.products.snapshot());
    })().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'snapshot_incomplete', attempts: 1 });
    await using recovering = await ScriptedServer.open(
      broken,
      refuse(409, 'snapshot_running'),
      stream(WHOLE, false),
    );
    const two = new Feira({ baseUrl: recovering.url, token: 'token', clock: new InstantClock() });
    let ids: string[] = [];
    const snapshot = two.products.snapshot({
      onRestart() {
        ids = [];
      },
    });
    for await (const { id } of snapshot) ids.push(id);
    expect(ids).toEqual(['1', '2']);
    expect(snapshot.cursor).toBe('c1');
  },
);
