import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { shopOf } from '../support/buyer.js';
import { newProduct, newVaried } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { until } from '../support/process.js';
import { Random } from '../support/random.js';
import { RandomWrites } from '../support/random-writes.js';
import { Replicated } from '../support/replicated.js';
import { order } from '../support/shop.js';

let replicated: Replicated;
let store: StoreClient;
let other: StoreClient;
let plain: StoreClient;
let productId: string;

beforeAll(async () => {
  replicated = await Replicated.start();
}, 120_000);
afterAll(() => replicated?.close());
beforeEach(async () => {
  const [first, second] = replicated.processes;
  store = await first.store();
  other = store.through(second);
  plain = store.through(replicated.plain);
  productId = await newProduct(store, { name: 'Blue lamp', quantity: 100 });
  await newVaried(store, { S: 1, M: 2 });
  await order(first, store.workspaceId, { productId, variantId: null, quantity: 1 });
  await replicated.catchUp();
});

const LISTS = [
  '/products',
  '/products?include=variants,images&limit=1',
  '/products?search=lamp',
  '/products?sort=name&page=2&limit=1',
  '/variants',
  '/orders',
  '/orders?search=bia',
  '/orders?dateType=updated&from=2020-01-01&to=2099-12-31',
  '/customers',
  '/customers?search=bia',
];

async function listed(client: StoreClient, path: string): Promise<unknown> {
  const { status, body } = await client.get(path);
  expect(status).toBe(200);
  return body;
}

test.each(LISTS)('%s is read from the replica, with the same response as from the primary', async (path) => {
  const answer = await replicated.expectAnswered(1, () => listed(store, path));
  expect(answer).toEqual(await listed(plain, path));
});

test.each(['/orders?sort=updatedAt', '/events', '/webhooks'])(
  '%s is never read from the replica',
  async (path) => {
    await replicated.expectAnswered(0, () => listed(store, path));
  },
);

test('single records and snapshots are never read from the replica', async () => {
  await replicated.expectAnswered(0, async () => {
    await listed(store, `/products/${productId}`);
    const { app } = replicated.processes[0];
    const headers = { authorization: `Bearer ${store.token}`, accept: 'application/x-ndjson' };
    expect((await app.inject({ url: '/api/v1/products', headers })).statusCode).toBe(200);
  });
});

test('the product list of a shop and its search are read from the replica', async () => {
  const { slug } = await shopOf(replicated.plain, store);
  const page = async ({ app }: Feira, query: string) =>
    (await app.inject({ url: `/s/${slug}${query}` })).body;
  for (const query of ['', '?q=lamp', '?sort=price&stock=in']) {
    const html = await replicated.expectAnswered(1, () => page(replicated.processes[0], query));
    expect(html).toContain('Blue lamp');
    expect(html).toBe(await page(replicated.plain, query));
  }
});

test('a caller finds its own write in every list, through any server, while the replica is paused', async () => {
  await replicated.pause();
  try {
    await store.patch(`/products/${productId}`, { name: 'Red lamp', price: 5 });
    await newVaried(store, { L: 7 });
    await order(replicated.plain, store.workspaceId, { productId, variantId: null, quantity: 1 });
    await replicated.expectAnswered(0, async () => {
      for (const path of LISTS) {
        const current = await listed(plain, path);
        expect(await listed(store, path)).toEqual(current);
        expect(await listed(other, path)).toEqual(current);
      }
    });
    expect(JSON.stringify(await listed(other, '/products?search=lamp'))).toContain('Red lamp');
  } finally {
    await replicated.resume();
  }
});

test('numbering the events of a store does not make an outdated replica look current', async () => {
  await replicated.pause();
  try {
    await store.patch(`/products/${productId}/stock`, { quantity: 41 });
    // This call numbers the events of the store.
    await listed(store, '/events');
    expect(JSON.stringify(await listed(other, '/products'))).toContain('"quantity":41');
  } finally {
    await replicated.resume();
  }
});

test('a replica that has a concurrent write but not the caller’s own is not used', async () => {
  const hidden = await newProduct(store, { name: 'Written first' });
  await replicated.catchUp();
  // The commit of this write waits for a synchronous standby that does not exist. The replica already shows the write,
  // but the primary does not yet.
  const waiting = replicated.onPrimary(`
    set synchronous_commit = on; /* waiting write */
    begin;
    update products set quantity = 1 where id = '${hidden}';
    insert into outbox (workspace_id, event, data, origin)
      values ('${store.workspaceId}', 'stock.updated', '{"id":"${hidden}","quantity":1}', 'system');
    commit`);
  await until(async () => {
    const [product] = await replicated.onStandby(`select quantity from products where id = '${hidden}'`);
    return product!.quantity === '1' || product!.quantity === 1;
  });
  await replicated.pause();
  try {
    await store.patch(`/products/${productId}/stock`, { quantity: 77 });
    expect(JSON.stringify(await listed(store, '/products'))).toContain('"quantity":77');
    expect(await listed(other, '/products')).toEqual(await listed(plain, '/products'));
  } finally {
    await replicated.resume();
    await replicated.onPrimary(
      `select pg_cancel_backend(pid) from pg_stat_activity where query like '%/* waiting write */%' and pid <> pg_backend_pid()`,
    );
    await waiting;
  }
});

test('a write of one store does not prevent the lists of another from being read from the replica', async () => {
  const writer = await replicated.processes[0].store();
  await replicated.catchUp();
  await replicated.pause();
  try {
    await newProduct(writer);
    await replicated.expectAnswered(1, () => listed(store, '/products?limit=7'));
  } finally {
    await replicated.resume();
  }
});

test('lists agree with the primary after each of many random writes, whether or not the replica is paused', async () => {
  const random = new Random(35);
  const clients = [store, other];
  const orders = [
    await order(replicated.plain, store.workspaceId, { productId, variantId: null, quantity: 1 }),
  ];
  const source = new RandomWrites(random, orders);
  const before = {
    answered: await replicated.reads('answered'),
    outdated: await replicated.reads('outdated'),
  };
  for (let n = 0; n < 40; n++) {
    if (n % 8 === 0) await replicated.pause();
    if (n % 8 === 4) await replicated.resume();
    const client = random.pick(clients);
    const write = source.next();
    await source.done(client, write, (await client.call(write.method, write.path, write.body)) as never);
    if (n % 3 === 0) await listed(client, '/events');
    if (n % 8 > 5) await replicated.catchUp();
    for (const path of ['/products?include=variants,images', '/variants', '/orders', '/customers'])
      for (const reader of clients) expect(await listed(reader, path)).toEqual(await listed(plain, path));
  }
  expect(await replicated.reads('answered')).toBeGreaterThan(before.answered);
  expect(await replicated.reads('outdated')).toBeGreaterThan(before.outdated);
});

test('a replica that is too far behind is not used, and is used again when it has caught up', async () => {
  await replicated.pause();
  await store.patch(`/products/${productId}/stock`, { quantity: 3 });
  replicated.passMaxLag();
  await replicated.untilState('behind');
  const asked = await replicated.reads('outdated');
  await replicated.expectAnswered(0, () => listed(store, '/products?limit=3'));
  expect(await replicated.reads('outdated')).toBe(asked);
  const { body } = await replicated.processes[0].app.inject({ url: '/metrics' });
  expect(body).toContain('feira_replica_used 0');
  await replicated.resume();
  await replicated.untilState('in_use');
  // The list above is in memory.
  await replicated.expectAnswered(1, () => listed(store, '/products?limit=4'));
});

test('a read that the standby cancels in order to replay changes is repeated on the primary', async () => {
  const failed = await replicated.reads('failed');
  const { db } = replicated.plain.context;
  let answer: Promise<unknown> | undefined;
  await db.store('test').transaction(async (tx) => {
    await tx.query(sql`lock table products in access exclusive mode`);
    await replicated.onPrimary('select txid_current()');
    await until(async () => {
      const held = `select from pg_locks where mode = 'AccessExclusiveLock' and relation = 'products'::regclass`;
      return (await replicated.onStandby(held)).length > 0;
    });
    // On the standby, this read waits for the lock on products, while its transaction holds a lock on event_heads.
    answer = listed(store, '/products?limit=9');
    await until(async () => {
      const waiting = `select from pg_locks where not granted and relation = 'products'::regclass`;
      return (await replicated.onStandby(waiting)).length > 0;
    });
    await replicated.setReplayPatience(0);
    await db.store('other test').transaction(async (second) => {
      await second.query(sql`lock table event_heads in access exclusive mode`);
      await replicated.onPrimary('select txid_current()');
      await until(async () => (await replicated.reads('failed')) > failed);
    });
    await replicated.setReplayPatience(30_000);
  });
  expect(await answer).toEqual(await listed(plain, '/products?limit=9'));
});

test('no call fails when the replica is killed, and the replica is used again after its restart', async () => {
  const calls = Array.from({ length: 30 }, (_, n) => listed(store, `/products?limit=${n + 1}`));
  replicated.standbyCluster.killServer();
  await Promise.all(calls);
  for (const path of LISTS) expect(await listed(store, path)).toEqual(await listed(plain, path));
  await replicated.untilState('unreachable');
  expect((await replicated.processes[0].app.inject({ url: '/readyz' })).statusCode).toBe(200);
  replicated.standbyCluster.startServer();
  await replicated.untilState('in_use');
  await replicated.expectAnswered(1, () => listed(store, '/products?limit=40'));
});
