import { beforeAll, describe, expect, test } from 'vitest';
import { faultyFields, newProduct, newVaried, observe, sizes } from '../support/catalog.js';
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

function patch(id: string, entries: unknown) {
  return store.patch(`/products/${id}/variants`, entries);
}

describe('a product', () => {
  test('becomes a simple product again after a PUT without types and with prune=true', async () => {
    const id = await newVaried(store, { 'B-1': 3, 'B-2': 0 });
    expect(faultyFields(await put(id, [], []))).toEqual(['types', 'types']);
    expect(faultyFields(await put(id, [], [{ combination: 'B-1' }], '?prune=true'))).toEqual([
      'combinations[0]',
    ]);
    const answer = await put(id, [], [], '?prune=true');
    expect(answer.body).toEqual({ data: [] });
    expect((await store.get(`/products/${id}`)).body).toMatchObject({ hasVariants: false, quantity: 0 });
    expect((await store.patch(`/products/${id}/stock`, { quantity: 6 })).body.quantity).toBe(6);
  });

  test('stays simple and keeps its stock when variation types are declared without any combination', async () => {
    const id = await newProduct(store, { quantity: 5 });
    const declared = await observe(feira, store, () => put(id, SHIRT, []));
    expect([declared.status, declared.body]).toEqual([200, { data: [] }]);
    expect((await store.get(`/products/${id}`)).body).toMatchObject({ hasVariants: false, quantity: 5 });
    expect(declared.events.filter(({ event }) => event === 'stock.updated')).toEqual([]);
  });

  test('is found by the sku and ean of a variation until the variation is pruned', async () => {
    const id = await newProduct(store);
    await put(id, SHIRT, [{ options: ['P', 'Azul'], sku: 'FIND-ME', ean: '4006381333931' }]);
    for (const query of ['search=find-me', 'search=400638133', 'sku=FIND-ME', 'ean=4006381333931']) {
      expect(
        (await store.get(`/products?${query}`)).body.data.map((each: { id: string }) => each.id),
      ).toEqual([id]);
    }
    await put(id, SHIRT, [], '?prune=true');
    for (const query of ['search=find-me', 'sku=FIND-ME']) {
      expect((await store.get(`/products?${query}`)).body.data).toEqual([]);
    }
  });
});

describe('the events of PUT /products/{id}/variants', () => {
  test('are one product.updated with the number of changed variations and one stock.updated per changed balance', async () => {
    const id = await newProduct(store);
    const made = await observe(feira, store, () =>
      put(id, SHIRT, [
        { combination: 'P - Azul', sku: 'E-1', quantity: 5 },
        { combination: 'P - Preto', quantity: 2 },
        { combination: 'M - Azul', sku: 'E-3' },
      ]),
    );
    expect(made.events).toEqual([
      { event: 'product.updated', data: { id, variants: 3 } },
      { event: 'stock.updated', data: { id, sku: 'E-1', quantity: 5 } },
      { event: 'stock.updated', data: { id, sku: '', quantity: 2 } },
    ]);
    const changed = await observe(feira, store, () =>
      put(id, SHIRT, [
        { combination: 'P - Azul', sku: 'E-1', quantity: 5 },
        { combination: 'M - Azul', price: 99, quantity: 1 },
      ]),
    );
    expect(changed.events).toEqual([
      { event: 'product.updated', data: { id, variants: 1 } },
      { event: 'stock.updated', data: { id, sku: 'E-3', quantity: 1 } },
    ]);
    const pruned = await observe(feira, store, () =>
      put(id, SHIRT, [{ combination: 'M - Azul' }], '?prune=true'),
    );
    expect(pruned.events).toEqual([
      { event: 'product.updated', data: { id, variants: 2 } },
      { event: 'stock.updated', data: { id, sku: 'E-1', quantity: 0 } },
      { event: 'stock.updated', data: { id, sku: '', quantity: 0 } },
    ]);
  });

  test('report a balance of 0 for a removed variation before other balances, unless a new variation has its sku', async () => {
    const id = await newProduct(store);
    const colors = (...options: string[]) => [{ name: 'Cor', options }];
    await put(id, colors('Azul', 'Preto', 'Verde'), [
      { combination: 'Azul', sku: 'X1', quantity: 4 },
      { combination: 'Preto', sku: 'X2', quantity: 1 },
      { combination: 'Verde', sku: 'X3', quantity: 7 },
    ]);
    const renamed = await observe(feira, store, () =>
      put(
        id,
        colors('Azul Claro', 'Verde-limão'),
        [
          { combination: 'Azul Claro', sku: 'X1', quantity: 6 },
          { combination: 'Verde-limão', sku: 'X3', quantity: 7 },
        ],
        '?prune=true',
      ),
    );
    expect(renamed.events).toEqual([
      { event: 'product.updated', data: { id, variants: 5 } },
      { event: 'stock.updated', data: { id, sku: 'X2', quantity: 0 } },
      { event: 'stock.updated', data: { id, sku: 'X1', quantity: 6 } },
    ]);
  });

  test('are not emitted when nothing changes or the call is rejected', async () => {
    const id = await newVaried(store, { 'N-1': 1, 'N-2': 2 });
    const { updatedAt } = (await store.get(`/products/${id}`)).body;
    const same = sizes({ 'N-1': 1, 'N-2': 2 });
    const repeated = await observe(feira, store, () => put(id, same.types, same.combinations));
    expect([repeated.status, repeated.events]).toEqual([200, []]);
    const refused = await observe(feira, store, () =>
      put(id, same.types, [{ combination: 'N-1', sku: 'N-2' }]),
    );
    expect([refused.status, refused.events]).toEqual([409, []]);
    expect((await store.get(`/products/${id}`)).body.updatedAt).toBe(updatedAt);
  });
});

describe('the events of PATCH /products/{id}/variants', () => {
  test('count the changed variations and report each changed balance with the new sku of the variation', async () => {
    const id = await newVaried(store, { A: 1, B: 2, C: 3 });
    const answer = await observe(feira, store, () =>
      patch(id, [
        { sku: 'A', setSku: 'A-2', quantity: 10 },
        { sku: 'B', setSku: null, quantity: 20 },
        { sku: 'C', quantity: 3, price: 10 },
      ]),
    );
    expect(answer.events).toEqual([
      { event: 'product.updated', data: { id, variants: 2 } },
      { event: 'stock.updated', data: { id, sku: 'A-2', quantity: 10 } },
      { event: 'stock.updated', data: { id, sku: '', quantity: 20 } },
    ]);
    const priced = await observe(feira, store, () => patch(id, [{ sku: 'C', price: 11 }]));
    expect(priced.events).toEqual([{ event: 'product.updated', data: { id, variants: 1 } }]);
  });

  test('report no balance when only skus change', async () => {
    const id = await newVaried(store, { A: 1, B: 2 });
    const swapped = await observe(feira, store, () =>
      patch(id, [
        { sku: 'A', setSku: 'B' },
        { sku: 'B', setSku: 'A' },
      ]),
    );
    expect(swapped.events).toEqual([{ event: 'product.updated', data: { id, variants: 2 } }]);
  });

  test('are not emitted when nothing changes or the call is rejected', async () => {
    const id = await newProduct(store);
    await store.put(`/products/${id}/variants`, sizes({ A: 1, B: 2 }));
    const { updatedAt } = (await store.get(`/products/${id}`)).body;
    const same = { sku: 'A', setSku: 'A', setEan: null, price: 10, quantity: 1 };
    for (const [entries, status] of [
      [[same], 200],
      [
        [
          { sku: 'A', quantity: 9 },
          { sku: 'Z', quantity: 9 },
        ],
        422,
      ],
      [[{ sku: 'A', setSku: 'B', quantity: 9 }], 409],
    ] as const) {
      const answer = await observe(feira, store, () => patch(id, entries));
      expect([answer.status, answer.events]).toEqual([status, []]);
    }
    expect((await store.get(`/products/${id}`)).body).toMatchObject({ updatedAt, quantity: 3 });
  });
});
