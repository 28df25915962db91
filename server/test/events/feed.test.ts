import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emit } from '../../src/events/outbox.js';
import { purgeEpochs, rotatePartitions } from '../../src/events/retention.js';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type FeedPage, readFeed } from '../support/feed.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';

let feira: Feira;
let store: StoreClient;
const DAY = 24 * 60 * 60 * 1000;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
});

const read = (query?: { after?: string; limit?: number }) => readFeed(store, query);

describe('the feed', () => {
  test('returns the events of the store, oldest first, with the documented fields', async () => {
    const other = await feira.store();
    await newProduct(other);
    const id = await newProduct(store, { name: 'Shirt' });
    await store.patch(`/products/${id}`, { price: 12, quantity: 3 });
    await store.delete(`/products/${id}`);
    const { data, meta } = await read();
    expect(data.map(({ event }) => event)).toEqual([
      'product.created',
      'product.updated',
      'stock.updated',
      'product.deleted',
    ]);
    expect(data[0]).toEqual({
      id: expect.any(String),
      sequence: 1,
      event: 'product.created',
      workspaceId: store.workspaceId,
      data: { id, name: 'Shirt' },
      origin: `app:${store.clientId}`,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(meta).toEqual({ limit: 50, hasMore: false, nextCursor: expect.any(String) });
  });

  test('returns a cursor even if there are no events, and continues from it', async () => {
    const empty = await read();
    expect(empty).toEqual({ data: [], meta: { limit: 50, hasMore: false, nextCursor: expect.any(String) } });
    await newProduct(store, { name: 'First' });
    const first = await read({ after: empty.meta.nextCursor });
    expect(first.data).toHaveLength(1);
    const end = await read({ after: first.meta.nextCursor });
    expect(end.data).toEqual([]);
    expect(end.meta.nextCursor).toBe(first.meta.nextCursor);
    await newProduct(store, { name: 'Second' });
    expect((await read({ after: end.meta.nextCursor })).data.map(({ data }) => data.name)).toEqual([
      'Second',
    ]);
  });

  test('is read in pages without a gap, even if one transaction wrote all events', async () => {
    await feira.context.db.store('test').transaction((tx) =>
      emit(
        tx,
        store.workspaceId,
        'system',
        Array.from({ length: 105 }, (_, i) => ({
          event: 'product.created',
          data: { id: `${i}`, name: `${i}` },
        })),
      ),
    );
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
  ])('rejects the cursor %j', async (cursor) => {
    expectRejected(await store.get(`/events?after=${cursor}`), 400);
  });

  test.each(['limit=0', 'limit=-1', 'limit=x', 'limit=1.5', 'after=a&after=b'])(
    'rejects %s',
    async (query) => {
      expectRejected(await store.get(`/events?${query}`), 400);
    },
  );
});

describe('retention', () => {
  test('autovacuum analyzes a partition only after 1,000 changes to its rows', async () => {
    const { autocommit } = feira.context.db.background('test');
    await rotatePartitions(feira.context.db.background('test'), feira.clock);
    const partitions = await autocommit.query<{ name: string; options: string[] | null }>(sql`
      select c.relname as name, c.reloptions as options from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where c.relkind = 'r' and right(c.relname, 8) >= to_char(date_trunc('week', now(), 'UTC') at time zone 'UTC', 'YYYYMMDD')`);
    expect(new Set(partitions.map(({ name }) => name.slice(0, -9)))).toEqual(
      new Set(['events', 'deliveries', 'delivery_attempts']),
    );
    for (const { options } of partitions) expect(options).toContain('autovacuum_analyze_threshold=1000');
  });

  test('keeps events for 30 days and drops them at most a week later; cursors before them are then rejected', async () => {
    await newProduct(store, { name: 'Old' });
    const start = await read({ limit: 1 });
    const { nextCursor: beforeOld } = (await readAs(await feira.store())).meta;
    feira.clock.forward(30 * DAY - 60_000);
    await rotatePartitions(feira.context.db.background('test'), feira.clock);
    store = await store.withScopes(['webhooks:manage', 'products:write']);
    expect((await read()).data).toHaveLength(1);

    feira.clock.forward(7 * DAY + 60_001);
    await rotatePartitions(feira.context.db.background('test'), feira.clock);
    store = await store.withScopes(['webhooks:manage', 'products:write']);
    const empty = await read();
    expect(empty.data).toEqual([]);
    expect(empty.meta.nextCursor).toBe(start.meta.nextCursor);
    const expired = await store.get(`/events?after=${beforeOld}`);
    expectRejected(expired, 410);
    expect(expired.body.code).toBe('cursor_expired');

    await newProduct(store, { name: 'New' });
    expect((await read()).data.map(({ data }) => data.name)).toEqual(['New']);
    const continued = await read({ after: start.meta.nextCursor });
    expect(continued.data.map(({ data, sequence }) => [data.name, sequence])).toEqual([['New', 2]]);
  });

  test('missing partitions are created when they are needed, even if no worker has run for weeks', async () => {
    await feira.context.db.store('test').autocommit.query(sql`
      select drop_partitions('events', now() + interval '60 days')`);
    await newProduct(store, { name: 'After a long break' });
    expect((await read()).data.map(({ data }) => data.name)).toEqual(['After a long break']);
  });

  test('deletes event epochs (a new one begins when PostgreSQL restarts) that ended more than 30 days ago, and rejects their cursors', async () => {
    await newProduct(store, { name: 'Before' });
    const first = (await read()).meta.nextCursor;
    await endEpoch();
    await newProduct(store, { name: 'After one restart' });
    const second = (await read({ after: first })).meta.nextCursor;
    await endEpoch();
    await newProduct(store, { name: 'After two restarts' });
    await read({ after: second });

    await beganDaysAgo(second, 31);
    await purgeEpochs(feira.context.db.background('test'), feira.clock);
    const refused = await store.get(`/events?after=${first}`);
    expectRejected(refused, 410);
    expect(refused.body.code).toBe('cursor_expired');
    const { data } = await read({ after: second });
    expect(data.map((event) => event.data.name)).toEqual(['After two restarts']);
    // A row of event_epoch_entries limits only the cursors of earlier epochs, so the row of the oldest remaining epoch
    // is deleted too.
    expect(await entriesOfStore()).toBe(1);
  });

  /** Simulates a restart of PostgreSQL: the current epoch ends, and the next read starts a new one. */
  async function endEpoch(): Promise<void> {
    await feira.context.db.store('test').autocommit.query(sql`
      update event_epochs set identity = 'ended ' || id where identity = history_identity()`);
  }

  /** Sets the start of the cursor's epoch and of earlier epochs to `days` days ago, and that of later epochs to now. */
  async function beganDaysAgo(cursor: string, days: number): Promise<void> {
    const [epoch] = Buffer.from(cursor, 'base64url').toString().split('.');
    const now = new Date(feira.clock.now()).toISOString();
    await feira.context.db.store('test').autocommit.query(sql`
      update event_epochs set began_at = ${now}::timestamptz - case
        when ordinal <= (select ordinal from event_epochs where id = ${epoch}) then ${days} else 0 end * interval '1 day'`);
  }

  async function entriesOfStore(): Promise<number> {
    const [row] = await feira.context.db.store('test').query<{ count: number }>(sql`
      select count(*) from event_epoch_entries where workspace_id = ${store.workspaceId}`);
    return row!.count;
  }

  async function readAs(other: StoreClient): Promise<FeedPage> {
    return (await other.get('/events')).body;
  }
});
