import { beforeAll, describe, expect, test } from 'vitest';
import { faultyFields, newProduct, newVaried, observe } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

const MOST = 2_147_483_647;

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
});

function patch(entries: unknown) {
  return store.patch('/stock', { entries });
}

async function balance(id: string): Promise<number> {
  return (await store.get(`/products/${id}`)).body.quantity;
}

describe('PATCH /stock', () => {
  test('sets balances and adds to them by SKU, for simple products and variations, with one result per entry in order', async () => {
    store = await feira.store();
    const simple = await newProduct(store, { sku: 'S', quantity: 1 });
    const varied = await newVaried(store, { A: 2, B: 3 });
    const answer = await observe(feira, store, () =>
      patch([
        { sku: 'B', quantity: 30 },
        { sku: 'S', delta: 4 },
        { sku: 'A', delta: -2, ifQuantity: 2 },
        { sku: 'Z', quantity: 1 },
      ]),
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: [
        { sku: 'B', ok: true, quantity: 30 },
        { sku: 'S', ok: true, quantity: 5 },
        { sku: 'A', ok: true, quantity: 0 },
        { sku: 'Z', ok: false, code: 'unknown_sku', error: expect.any(String) },
      ],
    });
    expect(answer.events).toHaveLength(3);
    expect(answer.events).toEqual(
      expect.arrayContaining([
        { event: 'stock.updated', data: { id: varied, sku: 'B', quantity: 30 } },
        { event: 'stock.updated', data: { id: varied, sku: 'A', quantity: 0 } },
        { event: 'stock.updated', data: { id: simple, quantity: 5 } },
      ]),
    );
    expect([await balance(simple), await balance(varied)]).toEqual([5, 30]);
  });

  test('applies the entries of one SKU in order and emits at most one event, with the final balance', async () => {
    store = await feira.store();
    const id = await newProduct(store, { sku: 'S', quantity: 1 });
    const answer = await observe(feira, store, () =>
      patch([
        { sku: 'S', delta: 4 },
        { sku: 'S', delta: -9 },
        { sku: 'S', quantity: 7, ifQuantity: 5 },
        { sku: 'S', delta: -7 },
        { sku: 'S', delta: 1, ifQuantity: 7 },
      ]),
    );
    expect(answer.body.data.map((line: { ok: boolean }) => line.ok)).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    expect(answer.events).toEqual([{ event: 'stock.updated', data: { id, quantity: 0 } }]);
    const around = await observe(feira, store, () =>
      patch([
        { sku: 'S', delta: 3 },
        { sku: 'S', delta: -3 },
      ]),
    );
    expect([around.body.data[0].quantity, around.body.data[1].quantity, around.events]).toEqual([3, 0, []]);
  });

  test('returns a code for an entry that fails, and applies the others', async () => {
    store = await feira.store();
    await newProduct(store, { sku: 'S', quantity: 6 });
    await newProduct(store, { sku: 'FULL', quantity: MOST });
    await newProduct(store, { sku: 'TWICE', quantity: 1 });
    await newVaried(store, { TWICE: 1, FINE: 1 });
    const answer = await patch([
      { sku: 'NONE', delta: 1 },
      { sku: 'TWICE', quantity: 3 },
      { sku: 'S', delta: -1, ifQuantity: 5 },
      { sku: 'S', delta: -7 },
      { sku: 'FULL', delta: 1 },
      { sku: 's', delta: 1 },
      { sku: 'FINE', delta: 1 },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body.data.map((line: { code?: string }) => line.code)).toEqual([
      'unknown_sku',
      'ambiguous_sku',
      'quantity_mismatch',
      'below_zero',
      'above_maximum',
      'unknown_sku',
      undefined,
    ]);
    for (const line of answer.body.data.slice(0, 6)) {
      expect(line).toEqual({ sku: line.sku, ok: false, error: expect.any(String), code: line.code });
    }
    expect(answer.body.data[6]).toEqual({ sku: 'FINE', ok: true, quantity: 2 });
  });

  test('rejects the whole call for a malformed entry, lists every error, and applies nothing', async () => {
    store = await feira.store();
    const id = await newProduct(store, { sku: 'S', quantity: 6 });
    const answer = await observe(feira, store, () =>
      patch([
        { sku: 'S', quantity: 1 },
        { sku: 'S' },
        { sku: 'S', quantity: 1, delta: 1 },
        { quantity: 1 },
        { sku: '', quantity: 1 },
        { sku: 'S', delta: 0.5 },
        { sku: 'S', quantity: -1 },
        { sku: 'S', delta: 1, ifQuantity: '6' },
        null,
      ]),
    );
    expect(faultyFields(answer).sort()).toEqual([
      'entries[1]',
      'entries[2]',
      'entries[3].sku',
      'entries[4].sku',
      'entries[5].delta',
      'entries[6].quantity',
      'entries[7].ifQuantity',
      'entries[8]',
    ]);
    expect([answer.events, await balance(id)]).toEqual([[], 6]);
    for (const body of [{}, { entries: {} }, { entries: [] }]) {
      expect(faultyFields(await store.patch('/stock', body))).toEqual(['entries']);
    }
    expect((await store.patch('/stock', [{ sku: 'S', quantity: 1 }])).status).toBe(400);
  });

  test('accepts 500 entries and rejects 501', async () => {
    store = await feira.store();
    const id = await newProduct(store, { sku: 'S' });
    const entries = Array.from({ length: 501 }, () => ({ sku: 'S', delta: 1 }));
    expect(faultyFields(await patch(entries))).toEqual(['entries']);
    expect((await patch(entries.slice(1))).body.data.at(-1)).toEqual({ sku: 'S', ok: true, quantity: 500 });
    expect(await balance(id)).toBe(500);
  });

  test('emits nothing and does not change updatedAt if no balance changes', async () => {
    store = await feira.store();
    const id = await newVaried(store, { A: 2, B: 3 });
    const { updatedAt } = (await store.get(`/products/${id}`)).body;
    const answer = await observe(feira, store, () =>
      patch([
        { sku: 'A', quantity: 2 },
        { sku: 'B', delta: 0 },
      ]),
    );
    expect(answer.body.data.map((line: { ok: boolean }) => line.ok)).toEqual([true, true]);
    expect(answer.events).toEqual([]);
    expect((await store.get(`/products/${id}`)).body.updatedAt).toBe(updatedAt);
  });

  test('does not find the SKUs of another store, nor the SKU that a product had before it got variations', async () => {
    const other = await feira.store();
    const foreign = await newProduct(other, { sku: 'FOREIGN', quantity: 1 });
    store = await feira.store();
    const id = await newProduct(store, { sku: 'OWN', quantity: 5 });
    await store.put(`/products/${id}/variants`, {
      types: [{ name: 'Size', options: ['P'] }],
      combinations: [{ combination: 'P', sku: 'OWN-P', quantity: 2 }],
    });
    const answer = await patch([
      { sku: 'FOREIGN', quantity: 0 },
      { sku: 'OWN', quantity: 0 },
      { sku: 'OWN-P', delta: 1 },
    ]);
    expect(answer.body.data.map((line: { ok: boolean }) => line.ok)).toEqual([false, false, true]);
    expect((await other.get(`/products/${foreign}`)).body.quantity).toBe(1);
    expect(await balance(id)).toBe(3);
  });
});
