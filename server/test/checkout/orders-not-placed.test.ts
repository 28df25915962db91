import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ShopUses } from '../../src/checkout/shop-use.js';
import { sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { BUYER } from '../support/shop.js';
import { BusyStore, one } from '../support/simultaneous-orders.js';

// Orders that arrive at the same time are placed in one transaction. If one of them cannot be placed, the others are.

let feira: Feira;
let store: StoreClient;
let shop: BusyStore;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
  shop = new BusyStore(feira, store);
});

describe('an order that is not placed does not affect the others', () => {
  test('if there is too little stock, nothing to buy, a changed price, too many units or a product is gone', async () => {
    const ids = await shop.products(5);
    const missing = randomUUID();
    const carts = [
      [one(ids[0]!)],
      [one(ids[1]!, 11)],
      [],
      [one(ids[2]!)],
      [one(ids[3]!, 101)],
      [one(missing)],
    ];
    const placed = await Promise.all(
      shop.place([...carts, [one(ids[4]!)]], [{}, {}, {}, { agreed: 'another price' }]),
    );
    const created = expect.objectContaining({ repeated: false });
    expect(placed).toEqual([
      created,
      { faults: [{ line: one(ids[1]!, 11), problem: 'short', available: 10 }] },
      { refused: 'empty' },
      { refused: 'changed' },
      { refused: 'too_many_units' },
      { faults: [{ line: one(missing), problem: 'gone', available: 0 }] },
      created,
    ]);
    expect(await shop.stocksOf(ids)).toEqual([9, 10, 10, 10, 9]);
    const orders = await shop.read([placed[0]!, placed[6]!]);
    expect(orders.map(({ number }) => number)).toEqual([1001, 1002]);
  });

  test('if its form has already placed an order', async () => {
    const ids = await shop.products(3);
    const checkoutId = 'a form sent twice';
    const [first] = await Promise.all(shop.place([[one(ids[0]!)]], [{ checkoutId }]));
    const [again, other] = await Promise.all(shop.place([[one(ids[1]!)], [one(ids[2]!)]], [{ checkoutId }]));
    expect(again).toEqual({ ...first, repeated: true });
    expect(other).toMatchObject({ repeated: false });
    expect(await shop.stocksOf(ids)).toEqual([9, 10, 9]);
  });

  test('if its network has reached a limit', async () => {
    const shopUses = new ShopUses(feira.clock);
    const limited = (network: string) => ({ limited: { network, shopUses } });
    const ids = await shop.products(11);
    const carts = ids.map((id) => [one(id)]);
    await Promise.all(
      shop.place(
        carts.slice(0, 10),
        ids.map(() => limited('203.0.113.1')),
      ),
    );
    const [over, other] = await Promise.all(
      shop.place([[one(ids[10]!)], [one(ids[0]!)]], [limited('203.0.113.1'), limited('203.0.113.2')]),
    );
    expect(over).toEqual({ refused: 'address_limit' });
    expect(other).toMatchObject({ repeated: false });
  });

  test('if the database rejects it', async () => {
    const ids = await shop.products(3);
    const impossible = { buyer: { ...BUYER, name: 'PostgreSQL cannot store \0' } };
    const placed = await Promise.allSettled(
      shop.place(
        ids.map((id) => [one(id)]),
        [{}, impossible, {}],
      ),
    );
    expect(placed.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await shop.stocksOf(ids)).toEqual([9, 10, 9]);
    expect((await store.get('/orders')).body.data).toHaveLength(2);
  });

  test('while it waits for a lock on its product', async () => {
    const ids = await shop.products(3);
    const { db } = feira.context;
    const locks = await db.store('test').begin();
    await locks.query(sql`select from products where id = ${ids[1]!} for update`);
    const [first, waiting, last] = shop.place(ids.map((id) => [one(id)]));
    expect(await Promise.all([first, last])).toEqual([
      expect.objectContaining({ repeated: false }),
      expect.objectContaining({ repeated: false }),
    ]);
    expect(await shop.stocksOf(ids)).toEqual([9, 10, 9]);
    await locks.rollback();
    expect(await waiting).toMatchObject({ repeated: false });
    expect(await shop.stocksOf(ids)).toEqual([9, 9, 9]);
  });

  test('while another transaction changes its customer', async () => {
    const ids = await shop.products(3);
    await Promise.all(shop.place([[one(ids[0]!)]]));
    const changes = await feira.context.db.store('test').begin();
    await changes.query(sql`update customers set phone = '1' where workspace_id = ${store.workspaceId}`);
    const placed = await Promise.all(shop.place([[one(ids[1]!)], [one(ids[2]!)]]));
    expect(placed).toMatchObject([{ repeated: false }, { repeated: false }]);
    await changes.rollback();
  });
});
