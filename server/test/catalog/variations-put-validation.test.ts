import { beforeAll, describe, expect, test } from 'vitest';
import { faultyFields, newProduct } from '../support/catalog.js';
import type { StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

const SHIRT = [
  { name: 'Tamanho', options: ['P', 'M'] },
  { name: 'Cor', options: ['Azul', 'Preto'] },
];

let store: StoreClient;

beforeAll(async () => {
  store = await (await sharedFeira()).store();
});

function put(id: string, types: unknown, combinations: unknown, query = '') {
  return store.put(`/products/${id}/variants${query}`, { types, combinations });
}

describe('PUT /products/{id}/variants', () => {
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

  test('reports duplicates, combinations that do not match the types, and errors of single fields together', async () => {
    const colors = [{ name: 'Cor', options: ['Azul', 'Preto', 'Azul'] }];
    const combinations = [
      { combination: 'nope' },
      { combination: 'Azul', price: 1.999 },
      { options: ['Azul'], quantity: -1 },
      { options: [7] },
      'Preto',
    ];
    for (const id of [await newProduct(store), 'nope'])
      expect(faultyFields(await put(id, colors, combinations)).sort()).toEqual([
        'combinations[0]',
        'combinations[1].price',
        'combinations[2]',
        'combinations[2].quantity',
        'combinations[3].options[0]',
        'combinations[4]',
        'types[0].options[2]',
      ]);
  });

  test('checks combinations against the types only if the types are well-formed', async () => {
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

  test('rejects type names and options that are blank or equal after normalization, and options that are too long', async () => {
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

  test('are 1,000 combinations, including existing ones that are kept', async () => {
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

  test('allow no duplicate type names, options or combinations', async () => {
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
