import { beforeAll, describe, expect, test } from 'vitest';
import { faultyFields, newProduct, newVaried, observe } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

const SHIRT = [
  { name: 'Tamanho', options: ['P', 'M'] },
  { name: 'Cor', options: ['Azul', 'Preto'] },
];

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
});

function put(id: string, types: unknown, combinations: unknown, query = '') {
  return store.put(`/products/${id}/variants${query}`, { types, combinations });
}

function labels(answer: { body: { data: { combination: string }[] } }): string[] {
  return answer.body.data.map(({ combination }) => combination);
}

describe('PUT /products/{id}/variants', () => {
  test('creates combinations with exactly seven fields, by default with the price of the product and a quantity of 0', async () => {
    const id = await newProduct(store, { price: 79.9 });
    const answer = await put(id, SHIRT, [
      { combination: 'P - Azul', sku: 'CAM-P-AZ', ean: '7891234567895', price: 81.5, quantity: 5 },
      { combination: 'M - Preto' },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: [
        {
          id: expect.any(String),
          combination: 'P - Azul',
          sku: 'CAM-P-AZ',
          ean: '7891234567895',
          price: 81.5,
          quantity: 5,
          updatedAt: expect.any(String),
        },
        {
          id: expect.any(String),
          combination: 'M - Preto',
          sku: null,
          ean: null,
          price: 79.9,
          quantity: 0,
          updatedAt: expect.any(String),
        },
      ],
    });
    expect((await store.get(`/products/${id}/variants`)).body).toEqual(answer.body);
    const product = (await store.get(`/products/${id}`)).body;
    expect(product).toMatchObject({ hasVariants: true, quantity: 5, variants: answer.body.data });
  });

  test('joins options into labels in the order of the types, and lists combinations in the order of the declared options', async () => {
    const id = await newProduct(store);
    const answer = await put(id, SHIRT, [
      { options: ['M', 'Preto'] },
      { options: ['P', 'Preto'] },
      { combination: 'M - Azul' },
      { options: ['P', 'Azul'] },
    ]);
    expect(labels(answer)).toEqual(['P - Azul', 'P - Preto', 'M - Azul', 'M - Preto']);
  });

  test("understands an option that itself contains ' - '", async () => {
    const id = await newProduct(store);
    const types = [
      { name: 'Size', options: ['P', 'P - M'] },
      { name: 'Color', options: ['Azul', 'Azul - Claro'] },
    ];
    const made = await put(id, types, [
      { combination: 'P - Azul - Claro', sku: 'a' },
      { combination: 'P - M - Azul', sku: 'b' },
      { options: ['P - M', 'Azul - Claro'], sku: 'c' },
    ]);
    expect(labels(made)).toEqual(['P - Azul - Claro', 'P - M - Azul', 'P - M - Azul - Claro']);
    const again = await put(id, types, [{ options: ['P', 'Azul - Claro'], quantity: 4 }]);
    expect(again.body.data[0]).toEqual({ ...made.body.data[0], quantity: 4, updatedAt: expect.any(String) });
  });

  test('trims types, options and labels and normalizes them to Unicode NFC', async () => {
    const id = await newProduct(store);
    const types = [
      { name: ' Tamanho', options: ['P ', 'Me\u0301dio'] },
      { name: 'Cor', options: ['\u00a0Azul\n', 'Cafe\u0301'] },
    ];
    const made = await put(id, types, [
      { combination: ' P  - Caf\u00e9 ', sku: 'a' },
      { combination: 'P  - \u00a0Azul\n', sku: 'b' },
      { options: ['M\u00e9dio', 'Azul '], sku: 'c' },
    ]);
    expect(labels(made)).toEqual(['P - Azul', 'P - Caf\u00e9', 'M\u00e9dio - Azul']);
    const clean = [
      { name: 'Tamanho', options: ['P', 'M\u00e9dio'] },
      { name: 'Cor', options: ['Azul', 'Caf\u00e9'] },
    ];
    const again = await observe(feira, store, () => put(id, clean, [{ combination: 'P - Cafe\u0301' }]));
    expect([again.status, again.body, again.events]).toEqual([200, made.body, []]);
  });

  test('keeps the ids and the omitted fields of existing combinations; null clears sku and ean', async () => {
    const id = await newProduct(store);
    const entry = { combination: 'P - Azul', sku: 'K-1', ean: '789', price: 5, quantity: 7 };
    const [first] = (await put(id, SHIRT, [entry])).body.data;
    const kept = await put(id, SHIRT, [{ combination: 'P - Azul' }]);
    expect(kept.body.data).toEqual([first]);
    const partly = await put(id, SHIRT, [{ combination: 'P - Azul', price: 6 }]);
    expect(partly.body.data).toEqual([{ ...first, price: 6, updatedAt: expect.any(String) }]);
    const cleared = await put(id, SHIRT, [{ combination: 'P - Azul', sku: null, ean: null }]);
    expect(cleared.body.data).toEqual([
      { ...first, price: 6, sku: null, ean: null, updatedAt: expect.any(String) },
    ]);
  });

  test('keeps combinations that are not listed, unless prune=true', async () => {
    const id = await newVaried(store, { 'U-1': 3, 'U-2': 4 });
    const types = [{ name: 'Size', options: ['U-1', 'U-2', 'U-3'] }];
    const stayed = await put(id, types, [{ combination: 'U-3', quantity: 1 }]);
    expect(labels(stayed)).toEqual(['U-1', 'U-2', 'U-3']);
    expect((await store.get(`/products/${id}`)).body.quantity).toBe(8);
    const notPruned = await put(id, types, [{ combination: 'U-3' }], '?prune=false');
    expect(labels(notPruned)).toEqual(['U-1', 'U-2', 'U-3']);
    const pruned = await put(id, types, [{ combination: 'U-3' }], '?prune=true');
    expect(labels(pruned)).toEqual(['U-3']);
    expect((await store.get(`/products/${id}`)).body.quantity).toBe(1);
    expect((await put(id, types, [], '?prune=maybe')).status).toBe(400);
  });

  test('rejects a structure that no longer declares the options of an existing combination, unless that combination is pruned', async () => {
    const id = await newVaried(store, { 'D-1': 3, 'D-2': 4 });
    const types = [{ name: 'Size', options: ['D-2'] }];
    const refused = await put(id, types, [{ combination: 'D-2', quantity: 9 }]);
    expect(faultyFields(refused)).toEqual(['types']);
    expect(refused.body.error).toContain('D-1');
    expect((await store.get(`/products/${id}`)).body.quantity).toBe(7);
    expect(labels(await put(id, types, [{ combination: 'D-2' }], '?prune=true'))).toEqual(['D-2']);
  });

  test('may move a sku from one combination to another, but not duplicate it', async () => {
    const id = await newVaried(store, { 'V-1': 1, 'V-2': 2 });
    const types = [{ name: 'Size', options: ['V-1', 'V-2'] }];
    const doubled = await put(id, types, [{ combination: 'V-1', sku: 'V-2' }]);
    expect([doubled.status, doubled.body.code]).toEqual([409, 'duplicate_sku']);
    const swapped = await put(id, types, [
      { combination: 'V-1', sku: 'V-2' },
      { combination: 'V-2', sku: 'V-1' },
    ]);
    expect(swapped.body.data.map((each: { sku: string }) => each.sku)).toEqual(['V-2', 'V-1']);
    const inherited = await put(id, types, [{ combination: 'V-2', sku: 'V-2' }], '?prune=true');
    expect(inherited.body.data).toEqual([expect.objectContaining({ combination: 'V-2', sku: 'V-2' })]);
  });
});
