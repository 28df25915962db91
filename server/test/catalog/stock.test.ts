import { beforeAll, describe, expect, test } from 'vitest';
import { faultyFields, newProduct, newVaried, observe } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

const MISSING = '01900000-0000-7000-8000-000000000000';
const MOST = 2_147_483_647;

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
});

async function balance(id: string): Promise<number> {
  return (await store.get(`/products/${id}`)).body.quantity;
}

const malformed = [
  {},
  { quantity: null },
  { quantity: '5' },
  { quantity: 1.5 },
  { quantity: -1 },
  { quantity: MOST + 1 },
  { quantity: 1e21 },
  { delta: 1 },
];

describe('PATCH /products/{id}/stock', () => {
  test('sets the balance, returns the product, and emits stock.updated', async () => {
    const id = await newProduct(store, { quantity: 1 });
    const before = (await store.get(`/products/${id}`)).body;
    const answer = await observe(feira, store, () => store.patch(`/products/${id}/stock`, { quantity: 12 }));
    const { images, variants, ...product } = before;
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...product, quantity: 12, updatedAt: expect.any(String) });
    expect(answer.body.updatedAt >= before.updatedAt).toBe(true);
    expect(answer.events).toEqual([{ event: 'stock.updated', data: { id, quantity: 12 } }]);
    expect(await balance(id)).toBe(12);
  });

  test('accepts zero and the maximum, and emits nothing if the balance is unchanged', async () => {
    const id = await newProduct(store, { quantity: 4 });
    for (const quantity of [0, MOST]) {
      expect((await store.patch(`/products/${id}/stock`, { quantity })).body.quantity).toBe(quantity);
    }
    const { updatedAt } = (await store.get(`/products/${id}`)).body;
    const same = await observe(feira, store, () => store.patch(`/products/${id}/stock`, { quantity: MOST }));
    expect([same.status, same.events, same.body.updatedAt]).toEqual([200, [], updatedAt]);
  });

  test('rejects anything but a whole number from 0 to the maximum, and ignores other fields', async () => {
    const id = await newProduct(store, { quantity: 4 });
    for (const body of malformed) {
      expect(faultyFields(await store.patch(`/products/${id}/stock`, body))).toEqual(['quantity']);
    }
    expect((await store.patch(`/products/${id}/stock`, { quantity: 5, price: 1, unknown: [] })).status).toBe(
      200,
    );
    expect((await store.get(`/products/${id}`)).body).toMatchObject({ quantity: 5, price: 10 });
  });

  test('returns 422 for a product with variations, whose balance is a sum', async () => {
    const id = await newVaried(store, { A: 1, B: 2 });
    const answer = await observe(feira, store, () => store.patch(`/products/${id}/stock`, { quantity: 3 }));
    expect(faultyFields(answer)).toEqual(['quantity']);
    expect(answer.events).toEqual([]);
    expect(await balance(id)).toBe(3);
  });

  test('validates the body before it looks up the product', async () => {
    expect((await store.patch(`/products/${MISSING}/stock`, { quantity: -1 })).status).toBe(422);
    expect((await store.patch(`/products/${MISSING}/stock`, { quantity: 1 })).status).toBe(404);
  });

  test('needs stock:write, which products:write does not imply', async () => {
    const id = await newProduct(store);
    const products = await store.withScopes(['products:write']);
    const stock = await store.withScopes(['stock:write']);
    expect((await products.patch(`/products/${id}/stock`, { quantity: 1 })).status).toBe(403);
    expect((await stock.patch(`/products/${id}/stock`, { quantity: 1 })).status).toBe(200);
  });
});

describe('PATCH /products/{id}/variants/{sku}/stock', () => {
  test('sets one balance, updates the sum, returns the variation, and emits stock.updated', async () => {
    const id = await newVaried(store, { A: 1, B: 2 });
    const [, b] = (await store.get(`/products/${id}/variants`)).body.data;
    const answer = await observe(feira, store, () =>
      store.patch(`/products/${id}/variants/B/stock`, { quantity: 20 }),
    );
    expect([answer.status, answer.body]).toEqual([
      200,
      { ...b, quantity: 20, updatedAt: expect.any(String) },
    ]);
    expect(answer.events).toEqual([{ event: 'stock.updated', data: { id, sku: 'B', quantity: 20 } }]);
    expect(await balance(id)).toBe(21);
    const same = await observe(feira, store, () =>
      store.patch(`/products/${id}/variants/B/stock`, { quantity: 20 }),
    );
    expect([same.status, same.body, same.events]).toEqual([200, answer.body, []]);
  });

  test('finds a sku with slashes, percent signs, quotes and accents', async () => {
    const odd = 'a/b %2F#?ç "x"';
    const id = await newVaried(store, { [odd]: 1 });
    const answer = await store.patch(`/products/${id}/variants/${encodeURIComponent(odd)}/stock`, {
      quantity: 2,
    });
    expect(answer.body).toMatchObject({ sku: odd, quantity: 2 });
  });

  test('returns 422 for an invalid body, otherwise 404 for a sku that no variation of the product has', async () => {
    const id = await newVaried(store, { A: 1 });
    const simple = await newProduct(store, { sku: 'A-SIMPLE', quantity: 1 });
    for (const path of [
      `${id}/variants/Z`,
      `${id}/variants/a`,
      `${id}/variants/%00`,
      `${simple}/variants/A-SIMPLE`,
      `${MISSING}/variants/A`,
    ]) {
      const answer = await store.patch(`/products/${path}/stock`, { quantity: 1 });
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'not_found']);
      expect((await store.patch(`/products/${path}/stock`, { quantity: -1 })).status).toBe(422);
    }
    for (const body of malformed) {
      expect(faultyFields(await store.patch(`/products/${id}/variants/A/stock`, body))).toEqual(['quantity']);
    }
  });
});
