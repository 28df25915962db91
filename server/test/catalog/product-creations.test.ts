import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ProductCreations } from '../../src/catalog/product-creations.js';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct, sizes } from '../support/catalog.js';
import { type Answer, type Feira, openFeira, type StoreClient } from '../support/feira.js';

// Products of one store that are created at the same time share a statement. Callers must not notice.

const UNKNOWN_CATEGORY = 987_654;

let feira: Feira;
let store: StoreClient;
let creations: ProductCreations;

beforeAll(async () => {
  feira = await openFeira();
  creations = new ProductCreations(feira.context.db);
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
});

/** Creates products in one statement, because all calls are made in the same turn of the event loop. */
function create(products: { name: string; [field: string]: unknown }[], client = store) {
  return products.map(async (fields) => {
    const json = await creations.create(client.workspaceId, 'system', { price: 10, ...fields });
    return JSON.parse(String(json));
  });
}

/** Returns the names of the products of the store, in the order of a list. */
async function namesOf(client: StoreClient, query = 'sort=createdAt'): Promise<string[]> {
  const { body } = await client.get(`/products?limit=100&${query}`);
  return body.data.map(({ name }: { name: string }) => name);
}

const autocommit = () => feira.context.db.store('test').autocommit;
const named = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix} ${n}`);
const statusOf = ({ status }: Answer) => status;

test('60 concurrent calls each get the right answer, and each product has its record, event and search terms', async () => {
  const bodies = [
    ...named('simple', 18).map((name, n) => ({
      name,
      price: 79.9 + n,
      quantity: n,
      sku: `CODE-${n}`,
      weight: 0.25,
    })),
    ...named('varied', 18).map((name, n) => ({
      name,
      price: 10,
      variants: sizes({ [`P-${n}`]: n, [`G-${n}`]: 1 }),
    })),
    ...Array.from({ length: 12 }, (_, n) => ({ name: `equal ${n % 3}`, price: 1, quantity: n })),
    ...named('lost', 12).map((name) => ({ name, price: 1, categoryId: UNKNOWN_CATEGORY })),
  ].map((body, n) => ({ body, n }));
  const mixed = bodies.toSorted((a, b) => ((a.n * 7) % 60) - ((b.n * 7) % 60));
  const answers = await Promise.all(mixed.map(({ body }) => store.post('/products', body)));
  const statusesOf = (prefix: string) =>
    answers
      .filter((_, index) => mixed[index]!.body.name.startsWith(prefix))
      .map(statusOf)
      .sort();
  expect(statusesOf('simple')).toEqual(Array(18).fill(201));
  expect(statusesOf('varied')).toEqual(Array(18).fill(201));
  for (const name of ['equal 0', 'equal 1', 'equal 2'])
    expect(statusesOf(name)).toEqual([201, 409, 409, 409]);
  expect(statusesOf('lost')).toEqual(Array(12).fill(422));

  const created = answers.flatMap(({ status, body }, index) =>
    status === 201 ? [{ body, sent: mixed[index]!.body }] : [],
  );
  for (const { body, sent } of created) {
    expect([body.name, body.price]).toEqual([sent.name, sent.price]);
    expect((await store.get(`/products/${body.id}`)).body).toEqual(body);
  }
  const events = await feira.events(store.workspaceId);
  const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
  expect(events.map(({ event }) => event)).toEqual(Array(39).fill('product.created'));
  expect(events.map(({ data }) => data as { id: string }).sort(byId)).toEqual(
    created.map(({ body: { id, name } }) => ({ id, name })).sort(byId),
  );
  expect((await store.get('/products')).body.meta.total).toBe(39);
  expect((await store.get('/variants')).body.meta.total).toBe(36);
  expect(await namesOf(store, 'search=code-11')).toEqual(['simple 11']);
  expect(await namesOf(store, 'search=g-13')).toEqual(['varied 13']);
});

test('products that are created together have one statement, and their events have the order of the calls', async () => {
  const names = named('product', 16).sort(() => -1);
  const created = [];
  for (const product of create(names.map((name) => ({ name })))) created.push(await product);
  // All rows of a statement have the same time.
  expect(new Set(created.map(({ createdAt }) => createdAt)).size).toBe(1);
  const events = await feira.events(store.workspaceId);
  expect(events.map(({ data }) => data.name)).toEqual(names);
});

test('the first of several products with one name is created, and the others are refused', async () => {
  const results = await Promise.allSettled(
    create(Array.from({ length: 5 }, (_, n) => ({ name: 'Same', quantity: n }))),
  );
  expect(results[0]).toMatchObject({ status: 'fulfilled', value: { quantity: 0 } });
  for (const result of results.slice(1)) expect(result).toMatchObject({ reason: { code: 'duplicate_name' } });
});

test('a repeated SKU is refused before the product shares a statement', async () => {
  const { types, combinations } = sizes({ P: 1, G: 1 });
  const variants = { types, combinations: combinations.map((each) => ({ ...each, sku: 'SAME' })) };
  const results = await Promise.allSettled(create([{ name: 'Repeated', variants }, { name: 'Correct' }]));
  expect(results).toMatchObject([{ reason: { code: 'duplicate_sku' } }, { value: { name: 'Correct' } }]);
});

test('an error of the database concerns only the product that causes it', async () => {
  await autocommit().query(sql`alter table products add constraint refuses check (name <> 'Refused')`);
  const results = await Promise.allSettled(
    create([
      { name: 'Before' },
      { name: 'Refused' },
      { name: 'After', categoryId: UNKNOWN_CATEGORY },
      { name: 'Last' },
    ]),
  );
  const over = await store.post('/products', { name: 'Refused', price: 1 });
  await autocommit().query(sql`alter table products drop constraint refuses`);
  expect(results).toMatchObject([
    { value: { name: 'Before' } },
    { reason: { code: '23514' } },
    { reason: { code: 'validation_failed' } },
    { value: { name: 'Last' } },
  ]);
  expect([over.status, over.body.code]).toEqual([500, 'internal_error']);
  expect((await namesOf(store)).sort()).toEqual(['Before', 'Last']);
  expect(await feira.events(store.workspaceId)).toHaveLength(2);
});

test.each(['commit', 'rollback'] as const)(
  'while another transaction holds a name, other stores create products; after its %s, so does the store',
  async (end) => {
    const other = await feira.store();
    const holder = await feira.context.db.store('holder').begin();
    await holder.query(sql`
      insert into products (workspace_id, id, name, price)
      values (${store.workspaceId}, '01900000-0000-7000-8000-000000000001', 'Held', 1)`);
    const waiting = Promise.allSettled(create([{ name: 'Free' }, { name: 'Held' }]));
    const called = Promise.all(['Held', 'Called'].map((name) => store.post('/products', { name, price: 1 })));
    await Promise.all(create([{ name: 'Held' }, { name: 'Theirs' }], other));
    await Promise.all(named('theirs', 5).map((name) => newProduct(other, { name })));
    await holder[end]();
    const [free, held] = await waiting;
    expect(free).toMatchObject({ value: { name: 'Free' } });
    const [heldAnswer, calledAnswer] = (await called) as [Answer, Answer];
    expect(calledAnswer.status).toBe(201);
    const createdHeld = [held!.status === 'fulfilled', heldAnswer.status === 201].filter(Boolean);
    expect(createdHeld).toHaveLength(end === 'commit' ? 0 : 1);
    expect((await namesOf(store)).sort()).toEqual(['Called', 'Free', 'Held']);
  },
);

test('a product that is renamed to the name of a new one, while its own name is used too, deadlocks with none', async () => {
  const renamed = await newProduct(store, { name: 'B' });
  // PostgreSQL inserts index entries in the order in which the indexes were created. A slow index before the unique one
  // prolongs the time in which both transactions have written one name and not yet the other.
  const statements = [
    sql`create function slowly(value text) returns text language plpgsql immutable
      as $$ begin if value in ('A', 'AA', 'B') then perform pg_sleep(0.05); end if; return value; end $$`,
    sql`create index slow on products (slowly(name))`,
    sql`drop index products_name`,
    sql`create unique index products_name on products (workspace_id, name)`,
  ];
  for (const statement of statements) await autocommit().query(statement);
  // With AA, the rename would be the first to wait, and PostgreSQL cancels that one of a deadlock.
  const [rename, a, , b] = await Promise.all([
    store.patch(`/products/${renamed}`, { name: 'A' }),
    ...create([{ name: 'A' }, { name: 'AA' }, { name: 'B' }]).map((each) =>
      each.then(
        () => 201,
        ({ code }) => code,
      ),
    ),
  ]);
  await autocommit().query(sql`drop index slow`);
  // Whichever comes first, the other finds the names as the first has left them.
  expect([
    [200, 'duplicate_name', 201],
    [409, 201, 'duplicate_name'],
  ]).toContainEqual([rename.status, a, b]);
});

test('a product with many variations is created alone, and others with the same call succeed', async () => {
  const variants = sizes(Object.fromEntries(named('size', 100).map((sku) => [sku, 2])));
  const [large, small] = await Promise.all(create([{ name: 'Large', variants }, { name: 'Small' }]));
  expect([large.quantity, large.variants.length, small.quantity]).toEqual([200, 100, 0]);
  expect((await store.get(`/products/${large.id}`)).body).toEqual(large);
});

test('with an Idempotency-Key, equal and different concurrent calls create each product once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      store.post('/products', { name: `keyed ${n % 4}`, price: 1 }, { 'idempotency-key': `create ${n}` }),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(8);
});

test('a dry run creates nothing, and a real call at the same time is not affected', async () => {
  const [dry, real] = await Promise.all([
    store.post('/products?dryRun=true', { name: 'Dry', price: 1, variants: sizes({ P: 3 }) }),
    store.post('/products', { name: 'Real', price: 1 }),
  ]);
  expect([dry.status, dry.body.quantity, real.status]).toEqual([201, 3, 201]);
  expect(await namesOf(store)).toEqual(['Real']);
});
