import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct, newVaried } from '../support/catalog.js';
import { type Answer, type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { Random } from '../support/random.js';

// Sends many kinds of writes to the same few products concurrently, through two servers on one database. The seed is
// fixed, so the writes are always the same.

const CALLS = 400;
const SKUS = ['A', 'B', 'C'];

let one: Feira;
let two: Feira;
let store: StoreClient;
const acknowledged: number[] = [];
let sent: { what: string; answer: Answer }[];
let products: { varied: string; pruned: string; simple: string; toDelete: string[] };

beforeAll(async () => {
  one = await openFeira();
  two = await openFeira({ on: one });
  store = await one.store();
  products = {
    varied: await newVaried(store, { A: 5, B: 5, C: 5, COUNTED: 100 }),
    pruned: await newVaried(store, { P: 1, Q: 1 }),
    simple: await newProduct(store, { sku: 'SIMPLE', quantity: 50 }),
    toDelete: await Promise.all(
      Array.from({ length: 8 }, (_, at) => newVaried(store, { [`DOOMED-${at}`]: 3 })),
    ),
  };
  const random = new Random(20_260_101);
  const other = store.through(two);
  sent = await Promise.all(
    Array.from({ length: CALLS }, async () => {
      const [what, call] = random.pick(WRITES);
      return { what, answer: await call(random.pick([store, other]), random) };
    }),
  );
});
afterAll(() => one.close());

type Write = [what: string, call: (by: StoreClient, random: Random) => Promise<Answer>];

/**
 * Adds a random delta to each SKU in `others` and to COUNTED, whose balance is never set directly. Records acknowledged
 * deltas of COUNTED.
 */
async function add(by: StoreClient, random: Random, others: string[]): Promise<Answer> {
  const entries = [...others, 'COUNTED'].map((sku) => ({ sku, delta: random.below(41) - 20 }));
  const answer = await by.patch('/stock', { entries });
  if (answer.body.data?.at(-1).ok) acknowledged.push(entries.at(-1)!.delta);
  return answer;
}

const WRITES: Write[] = [
  ['delta of one', (by, random) => add(by, random, [])],
  [
    'delta of many',
    (by, random) =>
      add(by, random, [random.pick(['P', 'SIMPLE', 'A']), random.pick(['B', 'Q', 'DOOMED-1', 'DOOMED-2'])]),
  ],
  [
    'variation stock',
    (by, random) =>
      by.patch(`/products/${products.varied}/variants/${random.pick(SKUS)}/stock`, {
        quantity: random.below(9),
      }),
  ],
  [
    'product stock',
    (by, random) => by.patch(`/products/${products.simple}/stock`, { quantity: random.below(99) }),
  ],
  [
    'put',
    (by, random) =>
      by.put(`/products/${products.varied}/variants`, {
        types: [{ name: 'Size', options: [...SKUS, 'COUNTED'] }],
        combinations: [
          { combination: random.pick(SKUS), quantity: random.below(9), price: random.below(50) },
        ],
      }),
  ],
  [
    'put and prune',
    (by, random) =>
      by.put(`/products/${products.pruned}/variants?prune=true`, {
        types: [{ name: 'Size', options: ['P', 'Q'] }],
        combinations: [{ combination: random.pick(['P', 'Q']), quantity: random.below(9) }].map((entry) => ({
          ...entry,
          sku: entry.combination,
        })),
      }),
  ],
  [
    'patch variations',
    (by, random) =>
      by.patch(`/products/${products.varied}/variants`, [
        { sku: random.pick(SKUS), quantity: random.below(9) },
        { sku: 'COUNTED', price: random.below(50) },
      ]),
  ],
  [
    'patch product',
    (by, random) =>
      by.patch(`/products/${random.pick([products.varied, products.simple, products.pruned])}`, {
        price: random.below(50),
        ean: String(random.below(50)),
      }),
  ],
  ['delete', (by, random) => by.delete(`/products/${random.pick(products.toDelete)}`)],
];

test('every write returns 200 or 404', () => {
  const odd = sent.filter(({ answer }) => ![200, 404].includes(answer.status));
  expect(odd.map(({ what, answer }) => [what, answer.status, answer.body.error])).toEqual([]);
  expect(new Set(sent.map(({ what }) => what)).size).toBe(WRITES.length);
});

test('a balance changed only by deltas includes exactly the acknowledged deltas, and each delta other than 0 has its event', async () => {
  const { quantity } = (await balances()).get(`${products.varied} COUNTED`)!;
  expect(quantity).toBe(acknowledged.reduce((sum, delta) => sum + delta, 100));
  expect(acknowledged.length).toBeGreaterThan(40);
  const reported = (await stockEvents())
    .filter(({ data }) => data.sku === 'COUNTED')
    .map(({ data }) => data.quantity);
  const steps = reported.slice(1).map((balance, index) => (balance as number) - (reported[index] as number));
  expect(steps.sort()).toEqual(acknowledged.filter((delta) => delta !== 0).sort());
  expect(Math.min(...(reported as number[]))).toBeGreaterThanOrEqual(0);
});

test('the quantity of a product with variations is the sum of their quantities', async () => {
  const wrong = await one.context.db.store('test').query(sql`
    select p.id from products p
    left join lateral (
      select sum(v.quantity) as total, count(*) as variations from variations v
      where v.workspace_id = p.workspace_id and v.product_id = p.id
    ) v on true
    where p.workspace_id = ${store.workspaceId}
      and (p.has_variants <> (v.variations > 0) or p.has_variants and p.quantity <> v.total)`);
  expect(wrong).toEqual([]);
});

test('apart from deleted products, the last stock.updated of each sku has its final balance', async () => {
  const final = await balances();
  const last = new Map<string, number>();
  for (const { data } of await stockEvents())
    last.set(`${data.id} ${data.sku ?? ''}`, data.quantity as number);
  for (const [key, quantity] of last) {
    if (products.toDelete.includes(key.split(' ')[0] as string)) continue;
    expect([key, quantity]).toEqual([key, final.get(key)?.quantity ?? 0]);
  }
  expect(last.size).toBeGreaterThan(6);
});

test('a deleted product leaves no variations and no search entry, and emits product.deleted once', async () => {
  const deleted = sent.filter(({ answer }) => answer.body.deleted).map(({ answer }) => answer.body.id);
  expect(new Set(deleted).size).toBe(deleted.length);
  const reported = (await one.events(store.workspaceId)).filter(({ event }) => event === 'product.deleted');
  expect(reported.map(({ data }) => data.id).sort()).toEqual(deleted.sort());
  const orphans = await one.context.db.store('test').query(sql`
    select product_id from variations where workspace_id = ${store.workspaceId} and product_id = any(${deleted}::uuid[])
    union all
    select product_id from product_search where workspace_id = ${store.workspaceId} and product_id = any(${deleted}::uuid[])`);
  expect(orphans).toEqual([]);
});

async function stockEvents() {
  return (await one.events(store.workspaceId)).filter(({ event }) => event === 'stock.updated');
}

async function balances(): Promise<Map<string, { quantity: number }>> {
  const rows = await one.context.db.store('test').query<{ key: string; quantity: number }>(sql`
    select product_id || ' ' || coalesce(sku, '') as key, quantity from variations
    where workspace_id = ${store.workspaceId}
    union all
    select id || ' ', quantity from products where workspace_id = ${store.workspaceId} and not has_variants`);
  return new Map(rows.map((row) => [row.key, row]));
}
