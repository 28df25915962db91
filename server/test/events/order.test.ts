import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emit } from '../../src/events/outbox.js';
import type { Transaction } from '../../src/platform/db/share.js';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { readFeed } from '../support/feed.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { until } from '../support/process.js';
import { Random } from '../support/random.js';
import { sharedFeira } from '../support/shared-feira.js';
import { sized } from '../support/sized.js';

let feira: Feira;

beforeAll(async () => {
  feira = await sharedFeira();
});

test('the event of a stock batch that waited for a lock follows the event of the change it overwrote', async () => {
  const store = await feira.store();
  const first = await newProduct(store, { sku: 'A', quantity: 1 });
  const second = await newProduct(store, { sku: 'B', quantity: 1 });
  const third = await newProduct(store, { sku: 'C', quantity: 1 });

  const holder = await feira.context.db.store('test').begin();
  await holder.query(sql`
    select from products where workspace_id = ${store.workspaceId} and id = ${second} for update`);
  const entries = ['A', 'B', 'C'].map((sku) => ({ sku, quantity: 4 }));
  const batch = store.patch('/stock', { entries });
  await until(() => isLocked(store.workspaceId, first));
  expect((await store.patch(`/products/${third}/stock`, { quantity: 5 })).status).toBe(200);
  await holder.rollback();
  expect((await batch).status).toBe(200);

  expect((await store.get(`/products/${third}`)).body.quantity).toBe(4);
  const { data } = (await store.get('/events')).body as {
    data: { event: string; data: { id: string; quantity: number } }[];
  };
  const balances = data.filter(({ event, data }) => event === 'stock.updated' && data.id === third);
  expect(balances.map((event) => event.data.quantity)).toEqual([5, 4]);
});

describe('transactions that commit in a different order than they began', () => {
  let store: StoreClient;
  beforeEach(async () => {
    store = await feira.store();
  });
  const read = (query?: { after?: string; limit?: number }) => readFeed(store, query);
  function write(tx: Transaction, name: string): Promise<void> {
    return emit(tx, store.workspaceId, 'system', [{ event: 'product.created', data: { id: name, name } }]);
  }

  test('add no event before a cursor that a reader already has, and do not delay the events of others', async () => {
    const slow = await feira.context.db.store('test').begin();
    await write(slow, 'slow');
    const quick = await feira.context.db.store('test').begin();
    await write(quick, 'quick');
    await quick.commit();
    const before = await read();
    expect(before.data.map(({ data }) => data.name)).toEqual(['quick']);
    await slow.commit();
    const { data } = await read({ after: before.meta.nextCursor });
    expect(data.map(({ data }) => data.name)).toEqual(['slow']);
  });

  const seeds = [1, 2, 3].slice(0, sized(1, 3));
  test.each(seeds)('show each event exactly once to a reader that polls (seed %i)', async (seed) => {
    const WRITERS = 8;
    const EACH = 25;
    const random = new Random(seed);
    const committed = new Set<string>();
    const writer = async (who: number) => {
      for (let i = 0; i < EACH; i++) {
        const tx = await feira.context.db.store('test').begin();
        // Some transactions write early and commit late, others write late and commit soon. Some write twice, and some
        // never commit.
        await delay(random.below(4));
        const names = [`${who}/${i}/a`, ...(random.below(3) === 0 ? [`${who}/${i}/b`] : [])];
        for (const name of names) {
          await write(tx, name);
          await delay(random.below(12));
        }
        if (random.below(6) === 0) await tx.rollback();
        else {
          await tx.commit();
          for (const name of names) committed.add(name);
        }
      }
    };
    // The first cursor is read before the first write, because the events of the page that contains this cursor are not
    // added to `seen`.
    let after = (await read()).meta.nextCursor;
    let writing = true;
    const writers = Promise.all(Array.from({ length: WRITERS }, (_, who) => writer(who))).then(() => {
      writing = false;
    });
    const seen: string[] = [];
    const poll = async () => {
      const page = await read({ after, limit: 1 + random.below(10) });
      seen.push(...page.data.map(({ data }) => data.id));
      after = page.meta.nextCursor;
      return page.data.length;
    };
    while (writing) await poll();
    await writers;
    await until(async () => (await poll()) === 0 && seen.length >= committed.size);
    expect([...seen].sort()).toEqual([...committed].sort());

    const again: string[] = [];
    let page = await read({ limit: 100 });
    for (; page.data.length > 0; page = await read({ limit: 100, after: page.meta.nextCursor }))
      again.push(...page.data.map(({ data }) => data.id));
    expect(again).toEqual(seen);
  });
});

async function isLocked(workspaceId: string, productId: string): Promise<boolean> {
  const free = await feira.context.db.store('test').transaction((tx) =>
    tx.query(sql`
      select from products where workspace_id = ${workspaceId} and id = ${productId} for update skip locked`),
  );
  return free.length === 0;
}
