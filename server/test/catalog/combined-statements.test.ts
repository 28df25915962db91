import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct, newVaried, observe } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';

// Concurrent product reads are combined into one statement, and so are concurrent stock writes. Callers must not
// notice.

const MISSING = '01900000-0000-7000-8000-000000000000';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
});
afterAll(() => feira.close());

function set(id: string, quantity: number) {
  return store.patch(`/products/${id}/stock`, { quantity });
}

test('62 concurrent reads each return the requested product, or a 404 if the store does not have it', async () => {
  const other = await feira.store();
  const theirs = await newProduct(other, { name: 'theirs' });
  const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => newProduct(store, { name: `p${n}` })));
  const asked = ids.flatMap((id) => [id, id, theirs]);
  const answers = await Promise.all([...asked, MISSING, 'odd'].map((id) => store.get(`/products/${id}`)));
  asked.forEach((id, index) => {
    const { status, body } = answers[index]!;
    if (id === theirs) expect([status, body.code]).toEqual([404, 'not_found']);
    else expect([status, body.id, body.name]).toEqual([200, id, `p${ids.indexOf(id)}`]);
  });
  expect(answers.slice(-2).map(({ status }) => status)).toEqual([404, 404]);
});

test('of 35 concurrent stock writes, each valid one emits an event, and invalid ones do not affect the others', async () => {
  const ids = await Promise.all(Array.from({ length: 30 }, () => newProduct(store, { quantity: 1 })));
  const varied = await newVaried(store, { P: 1 });
  const theirs = await newProduct(await feira.store(), { quantity: 1 });
  const others = [varied, theirs, MISSING, 'odd', ids[0]!];
  const { answers, events } = await observe(feira, store, async () => ({
    answers: await Promise.all([...ids, ...others].map((id, index) => set(id, 100 + index))),
  }));
  expect(answers.slice(0, 30).map(({ status, body }) => [status, body.id])).toEqual(
    ids.map((id) => [200, id]),
  );
  expect(answers.slice(30).map(({ status }) => status)).toEqual([422, 404, 404, 404, 200]);
  expect(events).toHaveLength(31);
  for (const [index, id] of ids.entries()) {
    const reported = events.filter(({ data }) => data.id === id).map(({ data }) => data.quantity);
    const { quantity } = (await store.get(`/products/${id}`)).body;
    expect(reported.at(-1)).toBe(quantity);
    if (index > 0) expect(reported).toEqual([100 + index]);
  }
});

test('a locked product delays only writes to that product', async () => {
  const [held, free] = [await newProduct(store, { quantity: 1 }), await newProduct(store, { quantity: 1 })];
  let heldAnswer: Promise<{ status: number }> | undefined;
  await feira.context.db.store('test').transaction(async (tx) => {
    await tx.query(
      sql`select from products where workspace_id = ${store.workspaceId} and id = ${held} for update`,
    );
    heldAnswer = set(held, 7);
    expect((await set(free, 8)).body.quantity).toBe(8);
    expect((await store.get(`/products/${held}`)).body.quantity).toBe(1);
  });
  expect((await heldAnswer)?.status).toBe(200);
  expect((await store.get(`/products/${held}`)).body.quantity).toBe(7);
});

test('of the events of 25 concurrent writes to one product, no two in a row have the same balance, and the last has the current one', async () => {
  const id = await newProduct(store, { quantity: 0 });
  const { events } = await observe(feira, store, async () => ({
    answers: await Promise.all(Array.from({ length: 25 }, (_, n) => set(id, 1 + (n % 5)))),
  }));
  const reported = events.map(({ data }) => data.quantity as number);
  expect(reported.every((quantity, index) => index === 0 || quantity !== reported[index - 1])).toBe(true);
  expect((await store.get(`/products/${id}`)).body.quantity).toBe(reported.at(-1));
});

test('when two processes write, the last stock event in the feed for each product has its current balance', async () => {
  const other = await openFeira({ on: feira });
  const both = [store, store.through(other)];
  const ids = await Promise.all(Array.from({ length: 10 }, () => newProduct(store, { quantity: 0 })));
  await Promise.all(
    Array.from({ length: 300 }, (_, n) =>
      both[n % 2]!.patch(`/products/${ids[(n * 7) % 10]}/stock`, { quantity: 1 + n }),
    ),
  );
  const reported = await feedOf(store);
  for (const id of ids) {
    const last = reported.findLast(({ event, data }) => event === 'stock.updated' && data.id === id);
    expect(last?.data.quantity).toBe((await store.get(`/products/${id}`)).body.quantity);
  }
  await other.close();
});

test('a read that is sent behind a slow statement and 40 other reads is answered before the slow statement ends', async () => {
  const id = await newProduct(store);
  const holder = await feira.context.db.store('test').begin();
  await holder.query(sql`select pg_advisory_xact_lock(1)`);
  let slowEnded = false;
  const slow = feira.context.db
    .store('test')
    .query(sql`select pg_advisory_xact_lock_shared(1)`)
    .then(() => {
      slowEnded = true;
    });
  const behind = Array.from({ length: 40 }, () => store.get(`/products/${id}`));
  expect((await store.get(`/products/${id}`)).status).toBe(200);
  expect(slowEnded).toBe(false);
  await holder.rollback();
  expect((await Promise.all(behind)).every(({ status }) => status === 200)).toBe(true);
  await slow;
});

type Reported = { event: string; data: Record<string, unknown> };

async function feedOf(client: StoreClient): Promise<Reported[]> {
  const reported: Reported[] = [];
  for (let after = ''; ; ) {
    const { body } = await client.get(`/events?limit=100${after && `&after=${after}`}`);
    if (body.data.length === 0) return reported;
    reported.push(...body.data);
    after = body.meta.nextCursor;
  }
}
