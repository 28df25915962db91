import { beforeAll, describe, expect, test } from 'vitest';
import { faultyFields, newProduct, newVaried } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

const MISSING = '01900000-0000-7000-8000-000000000000';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
});

interface Variation {
  id: string;
  sku: string | null;
  price: number;
  quantity: number;
}

function patch(id: string, body: unknown, by = store) {
  return by.patch(`/products/${id}/variants`, body);
}

async function variationsOf(id: string): Promise<Variation[]> {
  return (await store.get(`/products/${id}/variants`)).body.data;
}

describe('PATCH /products/{id}/variants', () => {
  test('finds a variation by id, by sku, or by both, and returns the whole list', async () => {
    const id = await newVaried(store, { A: 1, B: 2, C: 3 });
    const [a, b, c] = await variationsOf(id);
    const answer = await patch(id, {
      variants: [
        { id: a!.id, setSku: 'A-2', setEan: '789', price: 12.34 },
        { sku: 'B', quantity: 20 },
        { id: c!.id, sku: 'C', price: 0 },
      ],
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: [
        { ...a, sku: 'A-2', ean: '789', price: 12.34, updatedAt: expect.any(String) },
        { ...b, quantity: 20, updatedAt: expect.any(String) },
        { ...c, price: 0, updatedAt: expect.any(String) },
      ],
    });
    expect(await variationsOf(id)).toEqual(answer.body.data);
    expect((await store.get(`/products/${id}`)).body.quantity).toBe(24);
  });

  test('also accepts a bare array', async () => {
    const id = await newVaried(store, { A: 1 });
    expect((await patch(id, [{ sku: 'A', quantity: 5 }])).body.data[0].quantity).toBe(5);
    expect(faultyFields(await patch(id, [{ sku: 'A', quantity: -5 }]))).toEqual(['variants[0].quantity']);
    expect(faultyFields(await patch(id, []))).toEqual(['variants']);
  });

  test('accepts 500 entries and rejects 501', async () => {
    const id = await newProduct(store);
    const balances = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`S${index}`, 0]));
    const options = Object.keys(balances);
    await store.put(`/products/${id}/variants`, {
      types: [
        { name: 'Tens', options: options.slice(0, 100) },
        { name: 'Ones', options: options.slice(0, 6) },
      ],
      combinations: options.map((sku, at) => ({
        options: [`S${at % 100}`, `S${Math.floor(at / 100)}`],
        sku,
      })),
    });
    const entries = options.map((sku) => ({ sku, quantity: 1 }));
    expect(faultyFields(await patch(id, { variants: entries }))).toEqual(['variants']);
    expect((await patch(id, { variants: entries.slice(1) })).status).toBe(200);
    expect((await store.get(`/products/${id}`)).body.quantity).toBe(500);
  });

  test('reports entries with an unknown or repeated variation, or an id and sku that do not match, and applies no entry', async () => {
    const id = await newVaried(store, { A: 1, B: 2 });
    const [a, b] = await variationsOf(id);
    const answer = await patch(id, [
      { sku: 'A', quantity: 9 },
      { sku: 'Z', quantity: 9 },
      { id: MISSING, quantity: 9 },
      { id: 'nonsense', sku: 'Y', quantity: 9 },
      { id: a!.id, sku: 'B', quantity: 9 },
      { id: a!.id, price: 9 },
    ]);
    expect(faultyFields(answer)).toEqual([
      'variants[1].sku',
      'variants[2].id',
      'variants[3].id',
      'variants[3].sku',
      'variants[4]',
      'variants[5]',
    ]);
    expect(answer.body.code).toBe('validation_failed');
    expect(await variationsOf(id)).toEqual([a, b]);
  });

  test('reports all validation errors together, each with the index of its entry', async () => {
    const id = await newVaried(store, { A: 1 });
    const answer = await patch(id, {
      variants: [
        { quantity: 1 },
        { sku: 'A' },
        { sku: 'A', price: 1.234, quantity: 1.5 },
        { sku: 'A', price: null },
        { sku: 'A', setSku: 'x'.repeat(101), setEan: 'nul\0' },
        { sku: 'A', quantity: 2_147_483_648 },
        'A',
      ],
    });
    expect(faultyFields(answer).sort()).toEqual([
      'variants[0]',
      'variants[1]',
      'variants[2].price',
      'variants[2].quantity',
      'variants[3].price',
      'variants[4].setEan',
      'variants[4].setSku',
      'variants[5].quantity',
      'variants[6]',
    ]);
  });

  test('checks for duplicate skus in the final state: a swap is accepted, a duplicate returns 409', async () => {
    const id = await newVaried(store, { A: 1, B: 2, C: 3 });
    const [a, b, c] = await variationsOf(id);
    const swapped = await patch(id, [
      { sku: 'A', setSku: 'B' },
      { sku: 'B', setSku: 'A' },
    ]);
    expect(swapped.body.data).toEqual([
      { ...a, sku: 'B', updatedAt: expect.any(String) },
      { ...b, sku: 'A', updatedAt: expect.any(String) },
      c,
    ]);
    const chained = await patch(id, [
      { id: a!.id, setSku: 'C' },
      { id: c!.id, setSku: 'D' },
    ]);
    expect(chained.body.data.map((each: Variation) => each.sku)).toEqual(['C', 'A', 'D']);
    for (const entries of [
      [{ id: a!.id, setSku: 'D' }],
      [
        { id: a!.id, setSku: 'N' },
        { id: b!.id, setSku: 'N' },
      ],
    ]) {
      const doubled = await patch(id, entries);
      expect([doubled.status, doubled.body.code, doubled.body.details]).toEqual([
        409,
        'duplicate_sku',
        undefined,
      ]);
    }
    expect(await variationsOf(id)).toEqual(chained.body.data);
  });

  test('clears sku and ean with null, even for several variations in one call', async () => {
    const id = await newVaried(store, { A: 1, B: 2 });
    const coded = await patch(id, [{ sku: 'A', setEan: '7891234567895' }]);
    expect(coded.body.data.map(({ ean }: { ean: string | null }) => ean)).toEqual(['7891234567895', null]);
    const answer = await patch(id, [
      { sku: 'A', setSku: null, setEan: null },
      { sku: 'B', setSku: null },
    ]);
    expect(answer.body.data.map((each: Variation) => each.sku)).toEqual([null, null]);
    expect(answer.body.data.map(({ ean }: { ean: string | null }) => ean)).toEqual([null, null]);
    expect((await store.get('/products?sku=A')).body.data.map((each: Variation) => each.id)).not.toContain(
      id,
    );
  });

  test('allows the same sku in two products', async () => {
    const one = await newVaried(store, { Shared: 1 });
    const two = await newVaried(store, { Other: 2 });
    expect((await patch(two, [{ sku: 'Other', setSku: 'Shared' }])).status).toBe(200);
    expect((await patch(one, [{ sku: 'Shared', quantity: 7 }])).body.data[0].quantity).toBe(7);
    expect((await variationsOf(two))[0]!.quantity).toBe(2);
  });

  test('rejects the id of a variation of another product, and the SKU of a simple product', async () => {
    const one = await newVaried(store, { A: 1 });
    const two = await newVaried(store, { B: 2 });
    const [foreign] = await variationsOf(two);
    expect(faultyFields(await patch(one, [{ id: foreign!.id, quantity: 0 }]))).toEqual(['variants[0].id']);
    const simple = await newProduct(store, { sku: 'SIMPLE', quantity: 3 });
    expect(faultyFields(await patch(simple, [{ sku: 'SIMPLE', quantity: 0 }]))).toEqual(['variants[0].sku']);
  });
});

describe('the scopes of PATCH /products/{id}/variants', () => {
  test('are products:write for all fields, or stock:write for quantities only', async () => {
    const id = await newVaried(store, { A: 1 });
    const products = await store.withScopes(['products:write']);
    const stock = await store.withScopes(['stock:write']);
    const neither = await store.withScopes(['products:read', 'media:write']);
    expect((await patch(id, [{ sku: 'A', quantity: 2, price: 3 }], products)).status).toBe(200);
    expect((await patch(id, [{ sku: 'A', quantity: 4 }], stock)).body.data[0].quantity).toBe(4);
    expect((await patch(id, 'not json', neither)).status).toBe(403);
    for (const more of [{ price: 1 }, { setSku: 'B' }, { setEan: null }]) {
      const refused = await patch(id, [{ sku: 'A', quantity: 5, ...more }], stock);
      expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
      expect(refused.body.error).toMatch(/^insufficient_scope: .*products:write/);
      expect(refused.headers['www-authenticate']).toContain('scope="products:write"');
    }
    expect((await variationsOf(id))[0]!.quantity).toBe(4);
  });

  test('are checked after the body and before the product if the app has only stock:write', async () => {
    const id = await newVaried(store, { A: 1 });
    const stock = await store.withScopes(['stock:write']);
    expect((await patch(id, 'not json', stock)).status).toBe(400);
    expect((await patch(id, [{ sku: 'A', price: -1 }], stock)).status).toBe(422);
    expect((await patch(id, [{ sku: 'A', price: 1 }, { quantity: 1 }], stock)).status).toBe(422);
    expect((await patch(MISSING, [{ sku: 'A', price: 1 }], stock)).status).toBe(403);
    expect((await patch(MISSING, [{ sku: 'A', quantity: 1 }], stock)).status).toBe(404);
    expect((await patch(id, [{ sku: 'Z', price: 1 }], stock)).status).toBe(403);
  });
});
