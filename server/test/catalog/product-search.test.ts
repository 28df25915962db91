import { beforeAll, describe, expect, test } from 'vitest';
import { expectRejected } from '../support/expect-rejected.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { insertProducts } from '../support/product-rows.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  const add = async (fields: object, variation?: object) => {
    const { body } = await store.post('/products', { price: 1, ...fields });
    if (!variation) return;
    const { status } = await store.put(`/products/${body.id}/variants`, {
      types: [{ name: 'Size', options: ['P'] }],
      combinations: [{ combination: 'P', ...variation }],
    });
    expect(status).toBe(200);
  };
  await add({ name: 'Camiseta Básica de Algodão', sku: 'CAM-BAS', ean: '7891234567895', categoryId: 3 });
  await add({ name: 'Calça', categoryId: 3 }, { sku: 'CAL-Água', ean: '4006381333931' });
  await add({ name: 'Ends in foo', sku: 'bar-1', ean: 'quux' });
  await add({ name: '100% linen' });
  await add({ name: '100 linen' });
  await add({ name: 'snake_case' });
  await add({ name: 'snakeXcase' });
  await add({ name: 'back\\slash' });
  await add({ name: 'ЖУРНАЛ' });
  await add({ name: 'O\'Neill "quoted"' });
});

async function found(query: Record<string, string | number>): Promise<string[]> {
  const parameters = new URLSearchParams(query as Record<string, string>);
  const { status, body } = await store.get(`/products?${parameters}`);
  expect([status, body.error]).toEqual([200, undefined]);
  expect(body.meta.total).toBe(body.data.length);
  return body.data.map(({ name }: { name: string }) => name).sort();
}

describe('search', () => {
  test.each([
    ['Camiseta'],
    ['camiseta'],
    ['CAMISETA'],
    ['basica'],
    ['BÁSICA'],
    ['ba\u0301sica'],
    ['algodao'],
    ['misét'],
    ['a de a'],
    ['cam-b'],
    ['912345678'],
  ])('finds the shirt by %s', async (search) => {
    expect(await found({ search })).toEqual(['Camiseta Básica de Algodão']);
  });

  test.each([['cal-agua'], ['ÁGUA'], ['l-á'], ['638133']])(
    'finds a product by %s in the sku or ean of its variation',
    async (search) => {
      expect(await found({ search })).toEqual(['Calça']);
    },
  );

  test('disregards the case of Cyrillic letters, too', async () => {
    expect(await found({ search: 'журнал' })).toEqual(['ЖУРНАЛ']);
  });

  test('treats wildcards and quotes as ordinary characters', async () => {
    expect(await found({ search: '%' })).toEqual(['100% linen']);
    expect(await found({ search: '100%' })).toEqual(['100% linen']);
    expect(await found({ search: '％' })).toEqual(['100% linen']);
    expect(await found({ search: '0%l' })).toEqual([]);
    expect(await found({ search: '_' })).toEqual(['snake_case']);
    expect(await found({ search: 'e_c' })).toEqual(['snake_case']);
    expect(await found({ search: '\\' })).toEqual(['back\\slash']);
    expect(await found({ search: '\\\\' })).toEqual([]);
    expect(await found({ search: '\\s' })).toEqual(['back\\slash']);
    expect(await found({ search: "o'ne" })).toEqual(['O\'Neill "quoted"']);
    expect(await found({ search: '"quoted"' })).toEqual(['O\'Neill "quoted"']);
    expect(await found({ search: '.*' })).toEqual([]);
  });

  test('does not match text that spans two values, such as a name and a sku', async () => {
    for (const between of ['', ' ', ',', '\n'])
      for (const [left, right] of [
        ['foo', 'bar'],
        ['1', 'quux'],
        ['bar-1', 'quux'],
      ])
        expect(await found({ search: `${left}${between}${right}` })).toEqual([]);
  });

  test('with an empty term is ignored', async () => {
    expect(await found({ search: '' })).toHaveLength(10);
  });

  test('reflects every change to name, sku and ean', async () => {
    const { body } = await store.post('/products', { name: 'Volatile', price: 1, sku: 'OLD-SKU' });
    const path = `/products/${body.id}`;
    await store.patch(path, { name: 'Steady', sku: 'NEW-SKU', ean: 'NEW-EAN' });
    for (const search of ['volatile', 'old-sku']) expect(await found({ search })).toEqual([]);
    for (const search of ['steady', 'new-sku', 'new-ean'])
      expect(await found({ search })).toEqual(['Steady']);
    const types = [{ name: 'Size', options: ['P', 'M'] }];
    await store.put(`${path}/variants`, { types, combinations: [{ combination: 'P', sku: 'VAR-ONE' }] });
    expect(await found({ search: 'var-one' })).toEqual(['Steady']);
    await store.patch(`${path}/variants`, [{ sku: 'VAR-ONE', setSku: 'VAR-TWO' }]);
    expect(await found({ search: 'var-one' })).toEqual([]);
    expect(await found({ search: 'var-two' })).toEqual(['Steady']);
    await store.put(`${path}/variants?prune=true`, { types, combinations: [{ combination: 'M' }] });
    expect(await found({ search: 'var-two' })).toEqual([]);
    await store.delete(path);
    expect(await found({ search: 'steady' })).toEqual([]);
  });
});

describe('filters', () => {
  test('categoryId selects the products of that category', async () => {
    expect(await found({ categoryId: 3 })).toEqual(['Calça', 'Camiseta Básica de Algodão']);
    expect(await found({ categoryId: 9999 })).toEqual([]);
  });

  test.each(['abc', '1.5', '', '99999999999', '1e1', '0x3', 'null'])(
    '"%s" is rejected as categoryId',
    async (categoryId) => {
      expectRejected(await store.get(`/products?categoryId=${categoryId}`), 400);
    },
  );

  test('sku and ean match only exact values, both of products and of variations', async () => {
    expect(await found({ sku: 'CAM-BAS' })).toEqual(['Camiseta Básica de Algodão']);
    expect(await found({ sku: 'CAL-Água' })).toEqual(['Calça']);
    expect(await found({ ean: '7891234567895' })).toEqual(['Camiseta Básica de Algodão']);
    expect(await found({ ean: '4006381333931' })).toEqual(['Calça']);
    for (const sku of ['CAM', 'cam-bas', 'CAM-BAS ', '%', '7891234567895', ''])
      expect(await found({ sku })).toEqual([]);
    for (const ean of ['789', 'CAM-BAS', '%', '']) expect(await found({ ean })).toEqual([]);
  });

  test('are combined with AND', async () => {
    const both = { search: 'ca', categoryId: 3 };
    expect(await found(both)).toEqual(['Calça', 'Camiseta Básica de Algodão']);
    expect(await found({ ...both, sku: 'CAM-BAS' })).toEqual(['Camiseta Básica de Algodão']);
    expect(await found({ ...both, sku: 'CAM-BAS', ean: '4006381333931' })).toEqual([]);
    expect(await found({ search: 'ca', categoryId: 4 })).toEqual([]);
  });

  test('a product in which a sku occurs twice is listed once', async () => {
    const { body } = await store.post('/products', { name: 'Twice', price: 1, sku: 'TWICE' });
    await store.put(`/products/${body.id}/variants`, {
      types: [{ name: 'Size', options: ['P'] }],
      combinations: [{ combination: 'P', sku: 'TWICE' }],
    });
    expect(await found({ sku: 'TWICE' })).toEqual(['Twice']);
    expect(await found({ search: 'twice' })).toEqual(['Twice']);
    await store.delete(`/products/${body.id}`);
  });

  test.each(['search', 'sku', 'ean'])('a NUL in %s is rejected', async (name) => {
    expectRejected(await store.get(`/products?${name}=a%00b`), 400);
  });
});

describe('updatedFrom and updatedTo', () => {
  const at = (name: string, updatedAt: string) => ({ name, updatedAt });
  let timed: StoreClient;
  beforeAll(async () => {
    timed = await feira.store();
    const rows = [
      at('a', '2026-01-31T23:59:59.999Z'),
      at('b', '2026-02-01T00:00:00Z'),
      at('c', '2026-02-01T00:00:00.001Z'),
    ];
    await insertProducts(feira, timed, rows);
  });
  const names = async (query: string) => {
    const { status, body } = await timed.get(`/products?sort=name&${query}`);
    expect([query, status]).toEqual([query, 200]);
    return body.data.map(({ name }: { name: string }) => name).join('');
  };

  test('are both inclusive, to the millisecond', async () => {
    expect(await names('updatedFrom=2026-02-01T00:00:00Z')).toBe('bc');
    expect(await names('updatedTo=2026-02-01T00:00:00Z')).toBe('ab');
    expect(await names('updatedFrom=2026-02-01T00:00:00Z&updatedTo=2026-02-01T00:00:00Z')).toBe('b');
    expect(await names('updatedFrom=2026-02-01T00:00:00.001Z')).toBe('c');
    expect(await names('updatedFrom=2026-02-01T00:00:00.001Z&updatedTo=2026-01-01T00:00:00Z')).toBe('');
  });

  test('may have a UTC offset', async () => {
    expect(await names('updatedFrom=2026-01-31T21:00:00-03:00')).toBe('bc');
    expect(await names('updatedFrom=2026-02-01T05:30:00%2B05:30')).toBe('bc');
    expect(await names('updatedFrom=2026-02-01T00:00:00z')).toBe('bc');
  });

  test('accept times from the year 1 to the year 9999', async () => {
    expect(await names('updatedFrom=0001-01-01T00:00:00Z&updatedTo=9999-12-31T23:59:59.999999999Z')).toBe(
      'abc',
    );
  });

  test.each([
    'yesterday',
    '',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:00+05:30',
    '2026-01-01T00:00:00%2B99:00',
    '2026-01-01T00:00:00%2B0300',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00%2B00:01',
    '9999-12-31T23:59:59-00:01',
    '%2B010000-01-01T00:00:00Z',
    '1767225600',
    'infinity',
    '2026-01-01T00:00:00Z%00',
  ])('reject "%s"', async (time) => {
    expectRejected(await timed.get(`/products?updatedFrom=${time}`), 400);
    expectRejected(await timed.get(`/products?updatedTo=${time}`), 400);
  });
});

test('in a search, a page requested with a cursor has no total, even if the term is so rare that all of its matches are read', async () => {
  const first = await store.get('/products?search=linen&limit=1');
  expect(first.body.meta).toMatchObject({ total: 2, totalPages: 2, hasMore: true });
  const second = await store.get(`/products?search=linen&limit=1&cursor=${first.body.meta.nextCursor}`);
  expect(second.body.data).toHaveLength(1);
  expect(second.body.meta).toEqual({ limit: 1, hasMore: false, nextCursor: null });
});
