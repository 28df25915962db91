import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Transaction } from '../../src/platform/db.js';
import { emit } from '../../src/platform/events.js';
import { sql } from '../../src/platform/sql.js';
import { purgeEvents } from '../../src/webhooks/purge.js';
import { newProduct } from '../support/catalog.js';
import { expectRefusal } from '../support/expect-refusal.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { until } from '../support/process.js';
import { Random } from '../support/random.js';

let feira: Feira;
let store: StoreClient;
const DAY = 24 * 60 * 60 * 1000;

beforeAll(async () => {
  feira = await openFeira({ ownCluster: true });
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
});

interface Page {
  data: {
    id: string;
    event: string;
    workspaceId: string;
    data: { id: string; name?: string };
    createdAt: string;
  }[];
  meta: { limit: number; hasMore: boolean; nextCursor: string };
}

async function read(query: { after?: string; limit?: number } = {}): Promise<Page> {
  const text = new URLSearchParams(query as Record<string, string>);
  const answer = await store.get(`/events?${text}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Other tests' transactions in the same cluster may hold back the newest for a moment. */
async function readWhenThere(count: number): Promise<Page> {
  await until(async () => (await read({ limit: 100 })).data.length >= count);
  return read();
}

function write(tx: Transaction, name: string): Promise<void> {
  return emit(tx, store.workspaceId, [{ event: 'product.created', data: { id: name, name } }]);
}

describe('the feed', () => {
  test('shows the events of the store, oldest first, as they were sent', async () => {
    const other = await feira.store();
    await newProduct(other);
    const id = await newProduct(store, { name: 'Shirt' });
    await store.patch(`/products/${id}`, { price: 12, quantity: 3 });
    await store.delete(`/products/${id}`);
    const { data, meta } = await readWhenThere(4);
    expect(data.map(({ event }) => event)).toEqual([
      'product.created',
      'product.updated',
      'stock.updated',
      'product.deleted',
    ]);
    expect(data[0]).toEqual({
      id: expect.any(String),
      event: 'product.created',
      workspaceId: store.workspaceId,
      data: { id, name: 'Shirt' },
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(meta).toEqual({ limit: 50, hasMore: false, nextCursor: expect.any(String) });
  });

  test('gives a cursor even when there is nothing, and it goes on from there', async () => {
    const empty = await read();
    expect(empty).toEqual({ data: [], meta: { limit: 50, hasMore: false, nextCursor: expect.any(String) } });
    await newProduct(store, { name: 'First' });
    await readWhenThere(1);
    const first = await read({ after: empty.meta.nextCursor });
    expect(first.data).toHaveLength(1);
    const end = await read({ after: first.meta.nextCursor });
    expect(end.data).toEqual([]);
    expect(end.meta.nextCursor).toBe(first.meta.nextCursor);
    await newProduct(store, { name: 'Second' });
    await readWhenThere(2);
    expect((await read({ after: end.meta.nextCursor })).data.map(({ data }) => data.name)).toEqual([
      'Second',
    ]);
  });

  test('is read in pages without a gap, also within one transaction', async () => {
    await feira.context.db.transaction((tx) =>
      emit(
        tx,
        store.workspaceId,
        Array.from({ length: 105 }, (_, i) => ({ event: 'product.created', data: { id: `${i}` } })),
      ),
    );
    await readWhenThere(100);
    const clamped = await read({ limit: 1_000 });
    expect(clamped.meta).toMatchObject({ limit: 100, hasMore: true });
    expect(clamped.data).toHaveLength(100);
    const ids: string[] = [];
    let page = await read({ limit: 7 });
    for (; page.data.length > 0; page = await read({ limit: 7, after: page.meta.nextCursor }))
      ids.push(...page.data.map(({ data }) => data.id));
    expect(ids).toEqual(Array.from({ length: 105 }, (_, i) => `${i}`));
  });

  test.each([
    '',
    'garbage',
    'MC4w=',
    'MS4',
    'LTEuMA',
    'MC4wLjA',
    '%00',
    'MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAuMA',
  ])('refuses the cursor %j', async (cursor) => {
    expectRefusal(await store.get(`/events?after=${cursor}`), 400);
  });

  test.each(['limit=0', 'limit=-1', 'limit=x', 'limit=1.5', 'after=a&after=b'])(
    'refuses %s',
    async (query) => {
      expectRefusal(await store.get(`/events?${query}`), 400);
    },
  );
});

describe('thirty days', () => {
  test('after which an event is gone, and not before, and the cursors of before still work', async () => {
    await newProduct(store, { name: 'Old' });
    const old = await readWhenThere(1);
    feira.clock.forward(30 * DAY - 60_000);
    await purgeEvents(feira.context.db, feira.clock);
    store = await store.withScopes(['webhooks:manage', 'products:write']);
    expect((await read()).data).toHaveLength(1);

    await age(-(30 * DAY - 60_000), async () => {
      await newProduct(store, { name: 'New' });
    });
    await readWhenThere(2);
    feira.clock.forward(60_001);
    await purgeEvents(feira.context.db, feira.clock);
    expect((await read()).data.map(({ data }) => data.name)).toEqual(['New']);
    expect((await read({ after: old.meta.nextCursor })).data.map(({ data }) => data.name)).toEqual(['New']);
  });

  test('keeps what a subscription is still owed', async () => {
    await store.post('/webhooks', { url: 'http://127.0.0.1:9/', events: ['product.created'] });
    await newProduct(store);
    feira.clock.forward(31 * DAY);
    await purgeEvents(feira.context.db, feira.clock);
    store = await store.withScopes(['webhooks:manage']);
    expect((await read()).data).toHaveLength(1);
    await feira.context.db.autocommit.query(sql`
      update deliveries set status = 'failed' where workspace_id = ${store.workspaceId}`);
    await purgeEvents(feira.context.db, feira.clock);
    expect((await read()).data).toEqual([]);
    const rows = await feira.context.db.query(
      sql`select from deliveries where workspace_id = ${store.workspaceId}`,
    );
    expect(rows).toEqual([]);
  });

  /** The database writes its own time; what the work made is dated as if the moved clock had been its. */
  async function age(milliseconds: number, work: () => Promise<void>): Promise<void> {
    const { data: known } = await read();
    await work();
    await feira.context.db.autocommit.query(sql`
      update events set created_at = created_at - ${milliseconds} * interval '1 ms'
      where workspace_id = ${store.workspaceId} and id <> all(${known.map(({ id }) => id)}::uuid[])`);
  }
});

describe('transactions that commit in another order than they began', () => {
  test('show nothing behind a cursor that was given out', async () => {
    const slow = await feira.context.db.begin();
    await write(slow, 'slow');
    const quick = await feira.context.db.begin();
    await write(quick, 'quick');
    await quick.commit();
    const before = await read();
    expect(before.data).toEqual([]);
    await slow.commit();
    await readWhenThere(2);
    const { data } = await read({ after: before.meta.nextCursor });
    expect(data.map(({ data }) => data.name)).toEqual(['slow', 'quick']);
  });

  test.each([1, 2, 3])('show each event exactly once to a reader that polls (seed %i)', async (seed) => {
    const WRITERS = 8;
    const EACH = 25;
    const random = new Random(seed);
    const committed = new Set<string>();
    const writer = async (who: number) => {
      for (let i = 0; i < EACH; i++) {
        const tx = await feira.context.db.begin();
        // Some take their place early and commit late, some the other way round; some write twice, some never commit.
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
    let writing = true;
    const writers = Promise.all(Array.from({ length: WRITERS }, (_, who) => writer(who))).then(() => {
      writing = false;
    });
    const seen: string[] = [];
    let after = (await read()).meta.nextCursor;
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
