import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { purgeReservations } from '../../src/checkout/limits.js';
import { ShopUses } from '../../src/checkout/shop-use.js';
import { command as buy } from '../../src/commands/buy.js';
import { command as storeLimits } from '../../src/commands/store-limits.js';
import { sql } from '../../src/platform/db/sql.js';
import { networkOf } from '../../src/platform/http/network.js';
import type { Shop } from '../../src/stores/queries.js';
import { shopOf, Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';

const MINUTE = 60_000;

let feira: Feira;
let store: StoreClient;
let shop: Shop;
let mug: string;
let addresses = 0;

beforeAll(async () => {
  feira = await openFeira();
  const { host, port, user, database } = feira.connection;
  vi.stubEnv('DATABASE_URL', `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`);
  vi.stubEnv('FEIRA_SECRET', 'a secret for tests, known to everybody who reads them');
  vi.stubEnv('PUBLIC_URL', 'http://localhost:3000');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await feira.close();
});
beforeEach(() => openShop());

async function openShop(): Promise<void> {
  store = await feira.store();
  shop = await shopOf(feira, store);
  mug = await newProduct(store, { price: 10, quantity: 100_000 });
}

const newAddress = () => `198.18.${Math.floor(++addresses / 250)}.${addresses % 250}`;

/** Places an order with a new browser at this address, and returns the resulting page. */
async function place(address: string, quantity = '1', typed: Parameters<Visitor['order']>[0] = {}) {
  const visitor = new Visitor(feira, shop, {}, address);
  await visitor.add(mug, { quantity });
  return visitor.order(typed);
}
async function settle(payment: { location?: string | undefined }) {
  const { pathname, search } = new URL(payment.location!);
  await new Visitor(feira, shop).settle(pathname + search);
}
/** Inserts orders with their reservations, either all from one address or each from a different one. */
const reserve = (
  count: number,
  units: number,
  { status = 'pending', address }: { status?: string; address?: string } = {},
) =>
  feira.context.db.store('test').autocommit.query(sql`
    with placed as (
      insert into orders (workspace_id, id, number, subtotal, shipping_cost, total, payment_method, gateway, customer_id, customer,
        shipping_address, items, checkout_id, expires_at, status)
      select ${store.workspaceId}::uuid, new_id(), 5000 + n, 1, 1, 2, 'pix', 'sandbox', new_id(), '{}', '{}', '[]',
        'other ' || n, now() + interval '1 hour', ${status}
      from generate_series(1, ${count}::integer) n returning workspace_id, id
    )
    insert into checkout_reservations (workspace_id, order_id, network, units, placed_at)
    select workspace_id, id, coalesce(${address ?? null}, id::text), ${units}::integer,
      ${new Date(feira.clock.now()).toISOString()}::timestamptz from placed`);

const stock = async () => (await store.get(`/products/${mug}`)).body.quantity;

describe('one address', () => {
  test('can have at most ten unpaid orders in a shop, and can place another once one is paid', async () => {
    const address = newAddress();
    await reserve(8, 1, { address });
    const placed = [await place(address), await place(address)];
    expect(placed.map(({ status }) => status)).toEqual([303, 303]);
    const refused = await place(address);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '600']);
    expect(refused.text).toContain('too many recent or unpaid orders');
    expect((await place(newAddress())).status).toBe(303);
    expect(await stock()).toBe(100_000 - 3);
    await settle(placed[0]!);
    expect((await place(address)).status).toBe(303);
  });

  test('in IPv6 means all addresses of a /64 network', async () => {
    const inNetwork = (host: number) => `2001:db8:1:${addresses}::${host.toString(16)}`;
    addresses++;
    await reserve(8, 1, { address: networkOf(inNetwork(1)) });
    for (const host of [1, 2]) expect((await place(inNetwork(host))).status).toBe(303);
    expect((await place(inNetwork(3))).status).toBe(429);
    expect((await place('2001:db8:2::1')).status).toBe(303);
  });

  test('reserves at most 200 units with several unpaid orders', async () => {
    const address = newAddress();
    expect((await place(address, '100')).status).toBe(303);
    expect((await place(address, '100')).status).toBe(303);
    expect((await place(address, '1')).status).toBe(429);
    expect(await stock()).toBe(100_000 - 200);
  });

  test('has at most three unpaid boleto orders, which reserve stock for days', async () => {
    const address = newAddress();
    for (let index = 0; index < 3; index++)
      expect((await place(address, '1', { payment: 'boleto' })).status).toBe(303);
    expect((await place(address, '1', { payment: 'boleto' })).status).toBe(429);
    expect((await place(address)).status).toBe(303);
  });

  test('places at most thirty orders in ten minutes across all shops, paid or not', async () => {
    const address = newAddress();
    await reserve(14, 1, { status: 'paid', address });
    await settle(await place(address));
    await openShop();
    await reserve(13, 1, { status: 'paid', address });
    await settle(await place(address));
    expect((await place(address)).status).toBe(303);
    expect((await place(address)).status).toBe(429);
    feira.clock.forward(10 * MINUTE);
    expect((await place(address)).status).toBe(303);
  });

  test('cannot exceed ten unpaid orders by placing them concurrently', async () => {
    const address = newAddress();
    const answers = await Promise.all(Array.from({ length: 16 }, () => place(address)));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(6);
    expect(await stock()).toBe(100_000 - 10);
  });
});

describe('one shop', () => {
  test('has at most 2,000 unpaid orders', async () => {
    await reserve(1_999, 1);
    expect((await place(newAddress())).status).toBe(303);
    const refused = await place(newAddress());
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '600']);
    expect(refused.text).toContain('receiving too many orders');
    expect(await stock()).toBe(100_000 - 1);
  });

  test('has at most 20,000 units reserved by unpaid orders', async () => {
    await reserve(199, 100);
    expect((await place(newAddress(), '100')).status).toBe(303);
    expect((await place(newAddress(), '1')).status).toBe(429);
  });

  test('accepts at most 3,000 orders in ten minutes', async () => {
    await reserve(2_999, 1, { status: 'paid' });
    expect((await place(newAddress())).status).toBe(303);
    expect((await place(newAddress())).status).toBe(429);
  });

  test('keeps the IP network of an unpaid order, and that of a paid one until the first purge after ten minutes', async () => {
    const address = newAddress();
    await settle(await place(address));
    const unpaid = await place(address);
    const kept = async () =>
      (
        await feira.context.db
          .store('test')
          .query(sql`select from checkout_reservations where network = ${address}`)
      ).length;
    await purgeReservations(feira.context.db.background('test'), feira.clock);
    expect([unpaid.status, await kept()]).toEqual([303, 2]);
    feira.clock.forward(10 * MINUTE + 1_000);
    await purgeReservations(feira.context.db.background('test'), feira.clock);
    expect(await kept()).toBe(1);
  });
});

describe('a shop’s maximum per order', () => {
  test('is 100 of one item and 1,000 in total by default', async () => {
    const refused = await place(newAddress(), '101');
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('at most 100 units of one item and 1,000 units in one order');
    const visitor = new Visitor(feira, shop, {}, newAddress());
    for (let index = 0; index < 11; index++)
      await visitor.add(await newProduct(store, { quantity: 500 }), { quantity: '100' });
    expect((await visitor.order()).status).toBe(409);
    expect(await stock()).toBe(100_000);
  });

  test('can be set on the command line', async () => {
    const limits = { store: store.workspaceId, 'max-per-line': '300', 'max-per-order': '400' };
    expect(await storeLimits.run(limits)).toEqual({ maxUnitsPerLine: 300, maxUnitsPerOrder: 400 });
    expect(await storeLimits.run({ store: store.workspaceId })).toEqual({
      maxUnitsPerLine: 300,
      maxUnitsPerOrder: 400,
    });
    // An order may exceed the limit on reserved units if it is the only unpaid order of its address.
    expect((await place(newAddress(), '300')).status).toBe(303);
    expect((await place(newAddress(), '301')).status).toBe(409);
    await storeLimits.run({ store: store.workspaceId, 'max-per-line': '1', 'max-per-order': '2' });
    expect((await place(newAddress(), '2')).text).toContain(
      'at most 1 unit of one item and 2 units in one order',
    );
    for (const wrong of ['0', '-1', 'x', '1.5'])
      await expect(storeLimits.run({ store: store.workspaceId, 'max-per-line': wrong })).rejects.toThrow(
        '--max-per-line',
      );
  });
});

test('the operator’s simulated buyers are exempt from the limits and do not count against the limits of other buyers', async () => {
  const bought = (await buy.run({ store: store.workspaceId, count: '31', 'no-pay': true })) as {
    orders: string[];
  };
  expect(bought.orders).toHaveLength(31);
  expect((await place('127.0.0.1')).status).toBe(303);
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s is counted as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

describe('the limits of a shop', () => {
  beforeEach(() => feira.clock.stop());

  test('take at most a second to include orders accepted by another process', async () => {
    expect((await place(newAddress())).status).toBe(303);
    await reserve(3_000, 1, { status: 'paid' });
    expect((await place(newAddress())).status).toBe(303);
    feira.clock.forward(1_000);
    expect((await place(newAddress())).status).toBe(429);
  });

  test('are checked with new counts for each order once half of a limit is used', async () => {
    const shops = new ShopUses(feira.clock);
    const read = () => feira.context.db.store('test').transaction((tx) => shops.read(tx, store.workspaceId));
    expect(await read()).toEqual({ placed: 0, open: 0, units: 0 });
    await reserve(5, 2);
    shops.add(store.workspaceId, 9_999);
    expect(await read()).toEqual({ placed: 1, open: 1, units: 9_999 });
    shops.add(store.workspaceId, 1);
    expect(await read()).toEqual({ placed: 5, open: 5, units: 10 });
  });
});
