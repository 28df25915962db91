import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../../src/platform/db/sql.js';
import { newProduct, newVaried, observe } from '../../support/catalog.js';
import { type Answer, type Feira, openFeira, type StoreClient } from '../../support/feira.js';

// These tests check which responses are stored for an idempotency key, and what is stored if a response is large.

let feira: Feira;
let store: StoreClient;
let key: { 'idempotency-key': string };
let used = 0;

beforeAll(async () => {
  feira = await openFeira();
});
beforeEach(async () => {
  store = await feira.store();
  key = { 'idempotency-key': `key ${++used}` };
});
afterAll(() => feira.close());

const replayed = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';

async function names(): Promise<string[]> {
  return (await store.get('/products?sort=createdAt')).body.data.map((each: { name: string }) => each.name);
}

/**
 * Creates a product with a thousand variations. With random codes, a response that contains the product is large even
 * when compressed. The variations are inserted with SQL, because the API would also index them for search, which these
 * tests do not need.
 */
async function productWith(name: string, code: 'plain' | 'random'): Promise<string> {
  const { id } = (await store.post('/products', { name, price: 1 })).body;
  const random = sql`left(encode(sha256(random()::text::bytea), 'hex') || encode(sha256(random()::text::bytea), 'hex'), 100)`;
  const text = code === 'plain' ? sql`'SKU-' || n` : random;
  const { autocommit } = feira.context.db.store(store.workspaceId);
  await autocommit.query(sql`
    insert into variations (workspace_id, product_id, id, position, combination, options, sku, ean, price)
    select ${store.workspaceId}::uuid, ${id}::uuid, new_id(), n, n::text, array[n::text], ${text}, ${text}, 1
    from generate_series(0, 999) n`);
  await autocommit.query(sql`update products set has_variants = true where id = ${id}`);
  return id;
}

async function storedBytes(key: string): Promise<number> {
  const [row] = await feira.context.db
    .store(store.workspaceId)
    .query<{ bytes: number }>(sql`select length(body) as bytes from idempotency_keys where key = ${key}`);
  return row!.bytes;
}

describe('a response is not stored if it', () => {
  const body = { name: 'Late', price: 1 };

  test('is a 401 or 403', async () => {
    const headers = { authorization: 'Bearer nonsense', ...key };
    expect((await store.post('/products', body, headers)).status).toBe(401);
    const reader = await store.withScopes(['products:read']);
    expect((await reader.post('/products', body, key)).status).toBe(403);
    expect((await store.post('/products', body, key)).status).toBe(201);

    const varied = await newVaried(store, { A: 1 });
    const stock = await store.withScopes(['stock:write']);
    const entry = [{ sku: 'A', price: 3 }];
    const other = { 'idempotency-key': 'rejected by the handler' };
    expect((await stock.patch(`/products/${varied}/variants`, entry, other)).status).toBe(403);
    expect((await store.patch(`/products/${varied}/variants`, entry, other)).status).toBe(200);
  });

  test('is a 429', async () => {
    const poor = await feira.store({ perMinute: 1 });
    await poor.get('/me');
    expect((await poor.post('/products', body, key)).status).toBe(429);
    feira.clock.forward(60_000);
    expect((await poor.post('/products', body, key)).status).toBe(201);
  });

  test('is a 5xx; the key and the changes are not stored either', async () => {
    const { autocommit } = feira.context.db.store('test');
    await autocommit.query(sql`alter table product_search rename to product_search_away`);
    const failed = await store.post('/products', body, key);
    await autocommit.query(sql`alter table product_search_away rename to product_search`);
    expect([failed.status, failed.body.code]).toEqual([500, 'internal_error']);
    expect([await names(), await feira.events(store.workspaceId)]).toEqual([[], []]);
    const retried = await store.post('/products', body, key);
    expect([retried.status, replayed(retried)]).toEqual([201, false]);
  });
});

describe('a write with an Idempotency-Key', () => {
  test('is committed together with its key and response: if the key cannot be stored, nothing is changed', async () => {
    const { autocommit } = feira.context.db.store('test');
    await autocommit.query(sql`
      alter table idempotency_keys add constraint refuse_all check (status = 0) not valid`);
    const failed = await store.post('/products', { name: 'Torn', price: 1 }, key);
    await autocommit.query(sql`alter table idempotency_keys drop constraint refuse_all`);
    expect([failed.status, failed.body.code]).toEqual([500, 'internal_error']);
    expect([await names(), await feira.events(store.workspaceId)]).toEqual([[], []]);
    expect((await store.post('/products', { name: 'Torn', price: 1 }, key)).status).toBe(201);
  });

  test('changes nothing if it is rejected', async () => {
    await newProduct(store, { name: 'Taken' });
    const id = await newProduct(store, { name: 'Mine', price: 1 });
    const answer = await observe(feira, store, () =>
      store.patch(`/products/${id}`, { name: 'Taken', price: 99, quantity: 7 }, key),
    );
    expect([answer.status, answer.events]).toEqual([409, []]);
    expect((await store.get(`/products/${id}`)).body).toMatchObject({ name: 'Mine', price: 1, quantity: 0 });
  });
});

test('a response is stored compressed and replayed unchanged', async () => {
  const id = await productWith('Plain', 'plain');
  const change = () => store.patch(`/products/${id}`, { price: 2 }, { 'idempotency-key': 'plain' });
  const first = await change();
  const again = await change();
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
  expect(again.body).toEqual(first.body);
  expect(await storedBytes('plain')).toBeLessThan(JSON.stringify(first.body).length / 2);
});

test('a response that is too large even when compressed is not stored; a repeated request reads the resource again', async () => {
  const id = await productWith('Random', 'random');
  const variation = (await store.get(`/products/${id}/variants`)).body.data[0].id;
  for (const [key, path, body] of [
    ['product', `/products/${id}`, { price: 3 }],
    ['variants', `/products/${id}/variants`, { variants: [{ id: variation, quantity: 7 }] }],
  ] as const) {
    const change = () => store.patch(path, body, { 'idempotency-key': key });
    const first = await change();
    expect(first.status).toBe(200);
    expect(JSON.stringify(first.body).length).toBeGreaterThan(200_000);
    expect(await storedBytes(key)).toBeLessThan(1_000);
    const events = (await feira.events(store.workspaceId)).length;
    const again = await change();
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect(again.body).toEqual(first.body);
    expect((await feira.events(store.workspaceId)).length).toBe(events);
  }
});

test('if the response was too large to store, a repeated request returns 404 once the product has been deleted', async () => {
  const id = await productWith('Gone', 'random');
  const change = () => store.patch(`/products/${id}`, { price: 3 }, { 'idempotency-key': 'gone' });
  expect((await change()).status).toBe(200);
  expect((await store.delete(`/products/${id}`)).status).toBe(200);
  const again = await change();
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([404, 'true']);
});

test('only the first hundred errors of a large error response are stored and replayed', async () => {
  const { id } = (await store.post('/products', { name: 'Faults', price: 1 })).body;
  const combinations = Array.from({ length: 1_000 }, () => ({
    combination: randomBytes(150).toString('hex'),
  }));
  const body = { types: [{ name: 'Size', options: ['P'] }], combinations };
  const change = () => store.put(`/products/${id}/variants`, body, { 'idempotency-key': 'faults' });
  const first = await change();
  expect([first.status, first.body.details.length]).toEqual([422, 1_000]);
  const again = await change();
  expect([again.status, again.body]).toEqual([
    422,
    { ...first.body, details: first.body.details.slice(0, 100) },
  ]);
  expect(await storedBytes('faults')).toBeLessThan(65_536);
});
