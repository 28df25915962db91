import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectRejected } from '../support/expect-rejected.js';
import { ALL_SCOPES, type Feira, openFeira, type StoreClient } from '../support/feira.js';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MISSING = '01900000-0000-7000-8000-000000000000';

/** The fields that the server fills in if only name and price were sent, except images and variants. */
const BARE = {
  id: expect.stringMatching(ID),
  priceDiscount: null,
  description: null,
  quantity: 0,
  weight: null,
  width: null,
  height: null,
  length: null,
  typeId: 2,
  categoryId: 23,
  urlImage: null,
  sku: null,
  ean: null,
  ncm: null,
  cest: null,
  fiscalOrigin: null,
  hasVariants: false,
  createdAt: expect.stringMatching(UTC_TIME),
  updatedAt: expect.stringMatching(UTC_TIME),
};

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
});
afterAll(() => feira.close());

describe('POST /products', () => {
  test('returns 201 with the complete record, including defaults', async () => {
    const { status, body } = await store.post('/products', { name: 'Bare', price: 10 });
    expect(status).toBe(201);
    expect(body).toStrictEqual({ ...BARE, name: 'Bare', price: 10, images: [], variants: [] });
    expect(body.updatedAt).toBe(body.createdAt);
  });

  test('stores every field as it was sent, and a read returns the same record', async () => {
    const full = {
      name: 'Full',
      price: 79.9,
      priceDiscount: 59.9,
      description: 'Malha de algodão\n\tgola "redonda" 👕',
      quantity: 12,
      weight: 0.25,
      width: 20,
      height: 3.5,
      length: 30.125,
      typeId: 3,
      categoryId: 2,
      urlImage: 'https://cdn.example/Shirt%20One.png?v=1#top',
      sku: 'CAM-BAS',
      ean: '7891234567895',
      ncm: '61091000',
      cest: '2803800',
      fiscalOrigin: 0,
    };
    const made = await store.post('/products', full);
    expect(made.status).toBe(201);
    expect(made.body).toStrictEqual({ ...BARE, ...full, images: [], variants: [] });
    const read = await store.get(`/products/${made.body.id}`);
    expect(read.status).toBe(200);
    expect(read.body).toStrictEqual(made.body);
  });

  test('accepts null for description, weight, urlImage, sku and ean', async () => {
    const empty = { description: null, weight: null, urlImage: null, sku: null, ean: null };
    const { status, body } = await store.post('/products', { name: 'Nulls', price: 1, ...empty });
    expect(status).toBe(201);
    expect(body).toMatchObject(empty);
  });

  test('ignores unknown and read-only fields, whatever their values', async () => {
    const unknown = { id: MISSING, hasVariants: true, createdAt: 'x', extra: 'a\0b\ud800', deep: [[{}]] };
    const { status, body } = await store.post('/products', { name: 'Unknown fields', price: 1, ...unknown });
    expect(status).toBe(201);
    expect(body).toStrictEqual({ ...BARE, name: 'Unknown fields', price: 1, images: [], variants: [] });
    expect(body.id).not.toBe(MISSING);
  });

  test('trims the name and normalizes it to Unicode NFC', async () => {
    const { body } = await store.post('/products', { name: ' \t Pa\u0303o \u00a0', price: 1 });
    expect(body.name).toBe('P\u00e3o');
  });

  test('accepts a name of 255 characters, and rejects a longer or blank one', async () => {
    for (const letter of ['x', '👕']) {
      const { status, body } = await store.post('/products', { name: ` ${letter.repeat(255)} `, price: 1 });
      expect([letter, status, [...(body.name ?? '')].length]).toEqual([letter, 201, 255]);
      expectRejected(await store.post('/products', { name: letter.repeat(256), price: 1 }), 422, ['name']);
    }
    expectRejected(await store.post('/products', { name: ' \n ', price: 1 }), 422, ['name']);
    expectRejected(await store.post('/products', { name: '', price: 1 }), 422, ['name']);
  });

  test('rejects a name that already exists in the store, compared exactly after trimming and normalization', async () => {
    expect((await store.post('/products', { name: 'Caf\u00e9', price: 1 })).status).toBe(201);
    for (const name of ['Caf\u00e9', '  Caf\u00e9\n', 'Cafe\u0301']) {
      const answer = await store.post('/products', { name, price: 2 });
      expectRejected(answer, 409);
      expect(answer.body.code).toBe('duplicate_name');
    }
    for (const name of ['caf\u00e9', 'Cafe', 'Caf\u00e9.'])
      expect((await store.post('/products', { name, price: 1 })).status).toBe(201);
    const other = await feira.store();
    expect((await other.post('/products', { name: 'Caf\u00e9', price: 1 })).status).toBe(201);
  });

  test('rejects an unknown category before it checks whether the name is taken', async () => {
    await store.post('/products', { name: 'Taken', price: 1 });
    const answer = await store.post('/products', { name: 'Taken', price: 1, categoryId: 9999 });
    expectRejected(answer, 422, ['categoryId']);
  });

  test.each([0, 0.01, 0.07, 1.1, 79.9, 8.2, 4.35, 1234567.89, 999_999_999_999.99])(
    'keeps the price %d exact',
    async (amount) => {
      const made = await store.post('/products', {
        name: `Price ${amount}`,
        price: amount,
        priceDiscount: amount,
      });
      expect(made.body).toMatchObject({ price: amount, priceDiscount: amount });
      const { body } = await store.get(`/products/${made.body.id}`);
      expect(body).toMatchObject({ price: amount, priceDiscount: amount });
    },
  );

  test.each([0, 0.001, 0.125, 12.34, 1000.999])('keeps the measurement %d exact', async (measure) => {
    const measures = { weight: measure, width: measure, height: measure, length: measure };
    const made = await store.post('/products', { name: `Measure ${measure}`, price: 1, ...measures });
    expect(made.body).toMatchObject(measures);
    expect((await store.get(`/products/${made.body.id}`)).body).toMatchObject(measures);
  });
});

describe('GET /products/{id}', () => {
  test('returns the variations of the product and the sum of their quantities', async () => {
    const { body: made } = await store.post('/products', { name: 'Varied', price: 10, quantity: 4 });
    const { body: list } = await store.put(`/products/${made.id}/variants`, {
      types: [{ name: 'Size', options: ['S', 'M'] }],
      combinations: [
        { combination: 'S', sku: 'V-S', ean: '1', price: 9.5, quantity: 3 },
        { combination: 'M' },
      ],
    });
    const { body } = await store.get(`/products/${made.id}`);
    expect(body.variants).toStrictEqual([
      {
        id: expect.stringMatching(ID),
        combination: 'S',
        sku: 'V-S',
        ean: '1',
        price: 9.5,
        quantity: 3,
        updatedAt: expect.stringMatching(UTC_TIME),
      },
      {
        id: expect.stringMatching(ID),
        combination: 'M',
        sku: null,
        ean: null,
        price: 10,
        quantity: 0,
        updatedAt: expect.stringMatching(UTC_TIME),
      },
    ]);
    expect(list.data).toStrictEqual(body.variants);
    expect(body).toMatchObject({ hasVariants: true, quantity: 3, images: [] });
  });

  test('returns 304 without a body if the product has not changed', async () => {
    const { body } = await store.post('/products', { name: 'Tagged', price: 1 });
    const path = `/products/${body.id}`;
    const tag = String((await store.get(path)).headers.etag);
    expect(tag).toMatch(/^(W\/)?"[^"]+"$/);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await store.get(path, { 'if-none-match': known });
      expect([known, answer.status, answer.body, answer.headers.etag]).toEqual([known, 304, undefined, tag]);
    }
    expect((await store.get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    expect((await store.call('HEAD', path, undefined, { 'if-none-match': tag })).status).toBe(304);
    await store.patch(path, { price: 2 });
    const changed = await store.get(path, { 'if-none-match': tag });
    expect([changed.status, changed.body.price]).toEqual([200, 2]);
    expect(changed.headers.etag).not.toBe(tag);
  });
});

describe('DELETE /products/{id}', () => {
  test('returns the id, deletes the variations too, and frees the name', async () => {
    const { body } = await store.post('/products', { name: 'Outlet', price: 1 });
    await store.put(`/products/${body.id}/variants`, {
      types: [{ name: 'Size', options: ['S'] }],
      combinations: [{ combination: 'S', sku: 'DOOMED-S' }],
    });
    const gone = await store.delete(`/products/${body.id}`);
    expect(gone.status).toBe(200);
    expect(gone.body).toStrictEqual({ id: body.id, deleted: true });
    for (const path of [`/products/${body.id}`, `/products/${body.id}/variants`])
      expectRejected(await store.get(path), 404);
    expectRejected(await store.delete(`/products/${body.id}`), 404);
    expect((await store.get('/products?sku=DOOMED-S')).body.data).toEqual([]);
    expect((await store.get('/products?search=outlet')).body.data).toEqual([]);
    expect((await store.post('/products', { name: 'Outlet', price: 1 })).status).toBe(201);
  });
});

test('GET /me returns the store, the app and the scopes of the token', async () => {
  const few = await store.withScopes(['orders:read', 'products:read']);
  const { status, body, headers } = await few.get('/me');
  expect(status).toBe(200);
  expect(body).toStrictEqual({
    workspaceId: store.workspaceId,
    name: 'Store 1',
    email: 'owner@store.example',
    document: null,
    domain: expect.toSatisfy((domain) => domain === null || typeof domain === 'string'),
    currency: 'BRL',
    timezone: 'America/Sao_Paulo',
    scopes: ['orders:read', 'products:read'],
    app: { clientId: store.clientId, name: 'App of store 1' },
    tokenExpiresAt: expect.stringMatching(UTC_TIME),
  });
  expect((await few.get('/me', { 'if-none-match': String(headers.etag) })).status).toBe(304);
  expect((await store.get('/me')).body.scopes).toEqual(ALL_SCOPES);
});

test('GET /categories lists the id, name and parent of each category, including Others with the id 23', async () => {
  const { status, body } = await store.get('/categories');
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['data']);
  expect(body.data).toContainEqual({ id: 23, name: 'Others', parentId: null });
  const ids = body.data.map(({ id }: { id: number }) => id);
  for (const category of body.data) {
    expect(Object.keys(category).sort()).toEqual(['id', 'name', 'parentId']);
    expect([null, ...ids]).toContain(category.parentId);
  }
});
