import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockPaymentState, recordTransaction } from '../../src/orders/lifecycle.js';
import { changeShipping } from '../../src/orders/shipping-status.js';
import { newProduct } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { Random } from '../support/random.js';
import { order } from '../support/shop.js';
import { sized } from '../support/sized.js';

const CHANGES = sized(100, 500, 'FEIRA_CHANGES');
const ORDERS = 40;
const WRITERS_PER_PROCESS = 6;

let one: Feira;
let two: Feira;
let store: StoreClient;
let ids: string[];

beforeAll(async () => {
  one = await openFeira();
  two = await openFeira({ on: one });
  store = await one.store();
  const productId = await newProduct(store, { quantity: ORDERS });
  ids = [];
  for (let made = 0; made < ORDERS; made++)
    ids.push(await order(one, store.workspaceId, { productId, variantId: null, quantity: 1 }));
});
afterAll(() => one.close());

interface Seen {
  id: string;
  carrier: string | null;
}

/** Follows the cursor and records every order that it receives. */
class Reader {
  readonly seen: Seen[] = [];
  /** Each cursor that was returned, with the number of orders received by then. */
  readonly cursors: { cursor: string; shown: number }[] = [];

  constructor(private readonly through: StoreClient) {}

  async readToEnd(): Promise<void> {
    for (;;) {
      const cursor = this.cursors.at(-1)?.cursor;
      const { status, body } = await this.through.get(
        `/orders?limit=7&${cursor ? `cursor=${cursor}` : 'sort=updatedAt'}`,
      );
      expect(status).toBe(200);
      this.seen.push(...body.data.map(({ id, carrier }: Seen) => ({ id, carrier })));
      this.cursors.push({ cursor: body.meta.nextCursor, shown: this.seen.length });
      if (!body.meta.hasMore) return;
    }
  }

  async readUntil(over: () => boolean): Promise<void> {
    while (!over()) await this.readToEnd();
    await this.readToEnd();
  }
}

/**
 * Changes orders in transactions that stay open for a random time, so that they do not commit in the order in
 * which they began. Some of them are rolled back.
 */
async function write(feira: Feira, random: Random, take: () => number | undefined): Promise<void> {
  for (let change = take(); change !== undefined; change = take()) {
    const tx = await feira.context.db.store('test').begin();
    try {
      const carrier = `change ${change}`;
      await changeShipping(tx, store.workspaceId, 'console', random.pick(ids), {
        statusShipping: 'pending',
        carrier,
      });
      await delay(random.below(CHANGES > 1_000 ? 6 : 25));
      if (random.below(10) === 0) await tx.rollback();
      else await tx.commit();
    } catch (error) {
      await tx.rollback();
      throw error;
    }
  }
}

test(`a reader that follows the cursor has the latest state of every order after ${CHANGES} changes`, {
  timeout: 600_000,
}, async () => {
  let left = CHANGES;
  const take = () => (left > 0 ? left-- : undefined);
  let over = false;
  const readers = [new Reader(store), new Reader(store.through(two))];
  const reading = readers.map((reader) => reader.readUntil(() => over));
  const writers = [one, two].flatMap((feira, process) =>
    Array.from({ length: WRITERS_PER_PROCESS }, (_, index) =>
      write(feira, new Random(100 * process + index), take),
    ),
  );
  try {
    await Promise.all(writers);
  } finally {
    over = true;
  }
  await Promise.all(reading);

  const { data } = (await store.get('/orders?limit=100')).body as { data: Seen[] };
  const final = new Map(data.map(({ id, carrier }) => [id, carrier]));
  for (const { seen } of readers) {
    const lastSeen = new Map(seen.map(({ id, carrier }) => [id, carrier]));
    expect(lastSeen).toEqual(final);
    // The reader read while the orders were changing, so it received some of them more than once, but no change twice.
    expect(seen.length).toBeGreaterThan(ORDERS);
    const shown = seen.filter(({ carrier }) => carrier !== null).map(({ carrier }) => carrier);
    expect(new Set(shown).size).toBe(shown.length);
  }
  await expectNothingMissed(readers[0]!);
});

/**
 * Reads again from 30 random cursors and expects exactly the orders that followed each of them the first time, in their
 * current state.
 */
async function expectNothingMissed({ seen, cursors }: Reader): Promise<void> {
  const random = new Random(7);
  for (let probe = 0; probe < 30; probe++) {
    const from = cursors[random.below(cursors.length)]!;
    const again = new Reader(store);
    again.cursors.push(from);
    await again.readToEnd();
    const after = new Map(seen.slice(from.shown).map(({ id, carrier }) => [id, carrier]));
    expect(new Map(again.seen.map(({ id, carrier }) => [id, carrier]))).toEqual(after);
  }
}

test('a change that is not committed is not shown, delays no other change, and is shown after its commit', async () => {
  const reader = new Reader(store);
  await reader.readToEnd();
  const before = reader.seen.length;
  const [slow, quick] = ids as [string, string];
  const tx = await two.context.db.store('test').begin();
  await changeShipping(tx, store.workspaceId, 'console', slow, {
    statusShipping: 'pending',
    carrier: 'slow',
  });
  await store.patch(`/orders/${quick}/shipping-status`, { statusShipping: 'pending', carrier: 'quick' });
  await reader.readToEnd();
  expect(reader.seen.slice(before)).toEqual([{ id: quick, carrier: 'quick' }]);
  await tx.commit();
  await reader.readToEnd();
  expect(reader.seen.slice(before)).toEqual([
    { id: quick, carrier: 'quick' },
    { id: slow, carrier: 'slow' },
  ]);
});

test('an order that another transaction has locked delays neither delta sync nor the event feed', async () => {
  const reader = new Reader(store);
  await reader.readToEnd();
  const before = reader.seen.length;
  const tx = await two.context.db.store('test').begin();
  await store.patch(`/orders/${ids[2]}/shipping-status`, { statusShipping: 'pending', carrier: 'now' });
  await lockPaymentState(tx, store.workspaceId, ids[2]!);
  await reader.readToEnd();
  expect((await store.get('/events?limit=100')).status).toBe(200);
  await tx.rollback();
  expect(reader.seen.slice(before)).toEqual([{ id: ids[2], carrier: 'now' }]);
});

test('a page beyond the last one returns a cursor with which later changes are read', async () => {
  const beyond = await store.get('/orders?sort=updatedAt&page=9&limit=50');
  expect(beyond.body.data).toEqual([]);
  const { nextCursor } = beyond.body.meta;
  expect((await store.get(`/orders?cursor=${nextCursor}`)).body.data).toEqual([]);
  await store.patch(`/orders/${ids[3]}/shipping-status`, { statusShipping: 'pending', carrier: 'next' });
  const next = await store.get(`/orders?cursor=${nextCursor}`);
  expect(next.body.data.map(({ id }: Seen) => id)).toEqual([ids[3]]);
});

test('a change without an event of its own is shown too', async () => {
  const reader = new Reader(store);
  await reader.readToEnd();
  const before = reader.seen.length;
  await recordTransaction(one.context.db.store('test').autocommit, store.workspaceId, ids[4]!, 'pay_other');
  await reader.readToEnd();
  expect(reader.seen.slice(before).map(({ id }) => id)).toEqual([ids[4]]);
});

test('a cursor in the format of the first release, with a PostgreSQL transaction id, is rejected as expired', async () => {
  const parts = ['orders', 'updatedAt', {}, '123456', '00000000-0000-0000-0000-000000000000'];
  const cursor = Buffer.from(JSON.stringify(parts)).toString('base64url');
  const answer = await store.get(`/orders?cursor=${cursor}`);
  expectRejected(answer, 410);
  expect(answer.body.code).toBe('cursor_expired');
});
