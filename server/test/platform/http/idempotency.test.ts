import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../../src/platform/db/sql.js';
import { purgeIdempotencyKeys } from '../../../src/platform/http/idempotency-keys.js';
import { newProduct, newVaried, observe } from '../../support/catalog.js';
import { ALL_SCOPES, type Answer, type Feira, openFeira, StoreClient } from '../../support/feira.js';

const DAY = 86_400_000;

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

describe('a repeated request with the same key', () => {
  test('gets the stored status and body, whatever they were, and changes nothing', async () => {
    const id = await newProduct(store, { name: 'Known', sku: 'K', quantity: 1 });
    const varied = await newVaried(store, { V: 1 });
    const gone = await newProduct(store);
    const missing = '/products/01900000-0000-7000-8000-000000000000';
    const cases: [number, string, string, unknown?][] = [
      [201, 'POST', '/products', { name: 'New', price: 1 }],
      [200, 'PATCH', `/products/${id}`, { price: 2 }],
      [200, 'PATCH', `/products/${id}/stock`, { quantity: 5 }],
      [200, 'PATCH', '/stock', { entries: [{ sku: 'K', delta: 1 }] }],
      [200, 'PATCH', `/products/${varied}/variants`, [{ sku: 'V', quantity: 9 }]],
      [200, 'PATCH', `/products/${varied}/variants/V/stock`, { quantity: 10 }],
      [
        200,
        'PUT',
        `/products/${varied}/variants`,
        { types: [{ name: 'T', options: ['V', 'W'] }], combinations: [] },
      ],
      [200, 'DELETE', `/products/${gone}`],
      [404, 'PATCH', missing, { price: 2 }],
      [404, 'DELETE', missing],
      [409, 'POST', '/products', { name: 'Known', price: 1 }],
      [422, 'POST', '/products', { name: '' }],
      [422, 'PATCH', `/products/${varied}/stock`, { quantity: 1 }],
      [400, 'POST', '/products', 'not json'],
      [400, 'PUT', `/products/${varied}/variants?prune=maybe`, { types: [], combinations: [] }],
    ];
    for (const [index, [status, method, path, body]] of cases.entries()) {
      const headers = { 'idempotency-key': `case ${index}` };
      const first = await store.call(method, path, body, headers);
      expect([method, path, first.status, replayed(first)]).toEqual([method, path, status, false]);
      const again = await observe(feira, store, () => store.call(method, path, body, headers));
      expect([again.status, again.body, replayed(again), again.events]).toEqual([
        status,
        first.body,
        true,
        [],
      ]);
      expect(again.headers['content-type']).toBe(first.headers['content-type']);
      expect(Number(again.headers['x-ratelimit-remaining'])).toBe(
        Number(first.headers['x-ratelimit-remaining']) - 1,
      );
      expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    }
    expect((await store.get(`/products/${id}`)).body.quantity).toBe(6);
  });

  test('gets the first response even if a new request would now succeed', async () => {
    const id = await newProduct(store, { name: 'Taken' });
    const first = await store.post('/products', { name: 'Taken', price: 1 }, key);
    await store.delete(`/products/${id}`);
    const again = await store.post('/products', { name: 'Taken', price: 1 }, key);
    expect([first.status, again.status, again.body]).toEqual([409, 409, first.body]);
    expect(await names()).toEqual([]);
  });

  test('gets the stored response with any other token of the app, if the token has the required scope', async () => {
    const first = await store.post('/products', { name: 'Once', price: 1 }, key);
    const writer = await store.withScopes(['products:write']);
    const reader = await store.withScopes(['products:read']);
    expect((await writer.post('/products', { name: 'Once', price: 1 }, key)).body).toEqual(first.body);
    expect((await reader.post('/products', { name: 'Once', price: 1 }, key)).status).toBe(403);
  });
});

describe('another request with the same key', () => {
  test('gets a 422 if its body, path, query or method differs, and changes nothing', async () => {
    const id = await newProduct(store, { name: 'One' });
    const other = await newProduct(store, { name: 'Two' });
    await store.patch(`/products/${id}`, { price: 5 }, key);
    const structure = { types: [], combinations: [] };
    for (const [method, path, body] of [
      ['PATCH', `/products/${id}`, { price: 6 }],
      ['PATCH', `/products/${id}`, '{ "price":5}'],
      ['PATCH', `/products/${other}`, { price: 5 }],
      ['PATCH', `/products/${id}?x=1`, { price: 5 }],
      ['PUT', `/products/${id}/variants`, structure],
      ['DELETE', `/products/${id}`, undefined],
      ['POST', '/products', 'not json'],
    ] as const) {
      const answer = await observe(feira, store, () => store.call(method, path, body, key));
      expect([method, path, answer.status, answer.body.code]).toEqual([
        method,
        path,
        422,
        'idempotency_key_reused',
      ]);
      expect([answer.body.details[0].field, replayed(answer), answer.events]).toEqual([
        'Idempotency-Key',
        false,
        [],
      ]);
    }
    expect(replayed(await store.patch(`/products/${id}`, { price: 5 }, key))).toBe(true);
  });

  test('gets a 422 if its media type differs, ignoring letter case and parameters', async () => {
    const body = '{"name":"Typed","price":1}';
    const post = (type: string) => store.post('/products', body, { ...key, 'content-type': type });
    const refused = await post('text/plain');
    expect([refused.status, refused.body.code]).toEqual([400, 'unsupported_content_type']);
    expect(replayed(await post('text/plain'))).toBe(true);
    const mended = await post('application/json');
    expect([mended.status, mended.body.code]).toEqual([422, 'idempotency_key_reused']);

    key = { 'idempotency-key': 'sent again' };
    expect((await post('application/json')).status).toBe(201);
    expect(replayed(await post('Application/JSON; charset=utf-8'))).toBe(true);
  });

  test('is accepted if it comes from another app or is for another store', async () => {
    const { context, app } = feira;
    await store.post('/products', { name: 'First', price: 1 }, key);
    const otherStore = await feira.store();
    const otherApp = await StoreClient.open(context, app, store.workspaceId, otherStore.clientId, ALL_SCOPES);
    for (const other of [otherApp, otherStore]) {
      const answer = await other.post('/products', { name: 'Second', price: 1 }, key);
      expect([answer.status, replayed(answer)]).toEqual([201, false]);
    }
  });
});

describe('a key', () => {
  test('is stored for 24 hours and is free again afterwards', async () => {
    feira.clock.stop();
    await store.post('/products', { name: 'Yesterday', price: 1 }, key);
    feira.clock.forward(DAY - 1);
    store = await store.withScopes(ALL_SCOPES);
    expect(replayed(await store.post('/products', { name: 'Yesterday', price: 1 }, key))).toBe(true);
    feira.clock.forward(1);
    const fresh = await store.post('/products', { name: 'Today', price: 1 }, key);
    expect([fresh.status, replayed(fresh)]).toEqual([201, false]);
    expect(replayed(await store.post('/products', { name: 'Today', price: 1 }, key))).toBe(true);
  });

  test('that is 24 hours old is purged, and a younger one is not', async () => {
    feira.clock.stop();
    await store.post('/products', { name: 'Old', price: 1 }, key);
    feira.clock.forward(1_000);
    await store.post('/products', { name: 'Young', price: 1 }, { 'idempotency-key': 'young' });
    feira.clock.forward(DAY - 1_000);
    await purgeIdempotencyKeys(feira.context.db.background('test'), feira.clock);
    const left = await feira.context.db.store('test').query(sql`
      select key from idempotency_keys where workspace_id = ${store.workspaceId}`);
    expect(left).toEqual([{ key: 'young' }]);
  });

  test('has 1 to 255 characters, and is ignored on a read', async () => {
    const post = (value: string) =>
      store.post('/products', { name: 'Long', price: 1 }, { 'idempotency-key': value });
    expect([(await post('')).status, (await post('x'.repeat(256))).status]).toEqual([400, 400]);
    expect([(await post('x'.repeat(255))).status, replayed(await post('x'.repeat(255)))]).toEqual([
      201,
      true,
    ]);
    for (const value of ['x'.repeat(255), 'x'.repeat(999)]) {
      const read = await store.get('/products', { 'idempotency-key': value });
      expect([read.status, read.body.data.length, replayed(read)]).toEqual([200, 1, false]);
    }
  });
});
