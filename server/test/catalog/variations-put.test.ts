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
  test('creates combinations with exactly seven fields, by default with the price of the product and a balance of 0', async () => {
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

  test('joins options in the order of the types, and lists combinations in the order of the declared options', async () => {
    const id = await newProduct(store);
    const answer = await put(id, SHIRT, [
      { options: ['M', 'Preto'] },
      { options: ['P', 'Preto'] },
      { combination: 'M - Azul' },
      { options: ['P', 'Azul'] },
    ]);
    expect(labels(answer)).toEqual(['P - Azul', 'P - Preto', 'M - Azul', 'M - Preto']);
  });

  test('rejects options that are undeclared, in another order, too few or too many', async () => {
    const id = await newProduct(store);
    const answer = await put(id, SHIRT, [
      { options: ['Azul', 'P'] },
      { options: ['P'] },
      { options: ['P', 'Azul', 'M'] },
      { combination: 'Azul - P' },
      { combination: 'P - Verde' },
      { combination: 'P' },
    ]);
    expect(faultyFields(answer)).toEqual([0, 1, 2, 3, 4, 5].map((index) => `combinations[${index}]`));
    expect(faultyFields(await put(id, SHIRT, [{ combination: '' }]))).toEqual([
      'combinations[0].combination',
    ]);
  });

  test('rejects an entry with both combination and options, or neither, and reports all errors together', async () => {
    const id = await newProduct(store);
    const answer = await put(id, SHIRT, [
      { combination: 'P - Azul', options: ['P', 'Azul'] },
      { sku: 'A' },
      { combination: 'M - Azul', price: -1 },
    ]);
    expect(faultyFields(answer).sort()).toEqual([
      'combinations[0]',
      'combinations[1]',
      'combinations[2].price',
    ]);
  });

  test('reports the errors of the structure together with those of single fields', async () => {
    const colours = [{ name: 'Cor', options: ['Azul', 'Preto', 'Azul'] }];
    const combinations = [
      { combination: 'nope' },
      { combination: 'Azul', price: 1.999 },
      { options: ['Azul'], quantity: -1 },
      { options: [7] },
      'Preto',
    ];
    for (const id of [await newProduct(store), 'nope'])
      expect(faultyFields(await put(id, colours, combinations)).sort()).toEqual([
        'combinations[0]',
        'combinations[1].price',
        'combinations[2]',
        'combinations[2].quantity',
        'combinations[3].options[0]',
        'combinations[4]',
        'types[0].options[2]',
      ]);
  });

  test('checks combinations against the types only if the types are valid', async () => {
    const id = await newProduct(store);
    const listed = [{ combination: 'nope', price: -1 }];
    for (const [types, fault] of [
      [undefined, 'types'],
      ['Cor', 'types'],
      [[{ name: 'Cor' }], 'types[0].options'],
      [[null], 'types[0]'],
    ] as const)
      expect(faultyFields(await put(id, types, listed)).sort()).toEqual(['combinations[0].price', fault]);
  });

  test("understands an option that itself contains ' - '", async () => {
    const id = await newProduct(store);
    const types = [
      { name: 'Size', options: ['P', 'P - M'] },
      { name: 'Colour', options: ['Azul', 'Azul - Claro'] },
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

  test('treats types, options and labels as names: trimmed and in normal form C', async () => {
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

  test('rejects names that are blank, or that are equal after normalization', async () => {
    const id = await newProduct(store);
    const blank = [
      { name: ' ', options: ['P', ' ', ''] },
      { name: 'Cor', options: [`${'x'.repeat(101)}`] },
    ];
    expect(faultyFields(await put(id, blank, [])).sort()).toEqual([
      'types[0].name',
      'types[0].options[1]',
      'types[0].options[2]',
      'types[1].options[0]',
    ]);
    const alike = [
      { name: 'e\u0301', options: ['\u00e9', 'e\u0301', 'P', ' P'] },
      { name: '\u00e9 ', options: ['Azul'] },
    ];
    const listed = [{ combination: 'P - Azul' }, { options: ['P ', 'Azul'] }];
    expect(faultyFields(await put(id, alike, listed))).toEqual([
      'types[0].options[1]',
      'types[0].options[3]',
      'types[1].name',
      'combinations[1]',
    ]);
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

  test('rejects a structure that no longer declares the options of an existing combination, unless it is pruned', async () => {
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

describe('the limits of PUT /products/{id}/variants', () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => `o${index}`);

  test('are 3 types of 100 options each', async () => {
    const id = await newProduct(store);
    const types = (count: number, options: number) =>
      upTo(count).map((name) => ({ name, options: upTo(options) }));
    expect((await put(id, types(3, 100), [{ options: ['o0', 'o99', 'o50'] }])).status).toBe(200);
    expect(faultyFields(await put(id, types(4, 1), []))).toEqual(['types']);
    expect(faultyFields(await put(id, types(2, 101), []))).toContain('types[0].options');
    expect(faultyFields(await put(id, [{ name: 'Empty', options: [] }], []))).toEqual(['types[0].options']);
  });

  test('are 1,000 combinations, including those that stay', async () => {
    const id = await newProduct(store, { quantity: 1 });
    const types = ['A', 'B'].map((name) => ({ name, options: upTo(100) }));
    const listed = (from: number, to: number) =>
      upTo(to)
        .slice(from)
        .map((_, index) => {
          const at = from + index;
          return { options: [`o${Math.floor(at / 100)}`, `o${at % 100}`], quantity: 1 };
        });
    const made = await put(id, types, listed(0, 1_000));
    expect([made.status, made.body.data.length]).toEqual([200, 1_000]);
    expect(faultyFields(await put(id, types, listed(1_000, 1_001)))).toEqual(['combinations']);
    expect(faultyFields(await put(id, types, listed(0, 1_001)))).toEqual(['combinations']);
    expect((await put(id, types, listed(999, 1_001), '?prune=true')).body.data.length).toBe(2);
  });

  test('reject duplicate type names, options and combinations', async () => {
    const id = await newProduct(store);
    const answer = await put(
      id,
      [
        { name: 'Size', options: ['P', 'M', 'P'] },
        { name: 'Size', options: ['Azul'] },
      ],
      [{ options: ['P', 'Azul'] }, { combination: 'P - Azul' }],
    );
    expect(faultyFields(answer)).toEqual(['types[0].options[2]', 'types[1].name', 'combinations[1]']);
    expect((await store.get(`/products/${id}`)).body.hasVariants).toBe(false);
  });
});
