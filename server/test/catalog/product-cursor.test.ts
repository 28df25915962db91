import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectErrorShape, expectRejected } from '../support/expect-rejected.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { insertProducts } from '../support/product-rows.js';
import { sharedFeira } from '../support/shared-feira.js';
import { sized } from '../support/sized.js';

interface Listed {
  id: string;
  name: string;
  price: number;
  quantity: number;
  createdAt: string;
  updatedAt: string;
}

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  await insertProducts(feira, store, TIED);
});

// 48 products with only a few different values per sort key. The names of each fruit differ in case and accents.
const SPELLINGS = ['maca', 'MACA', 'Maçã', 'maçã', 'MAÇÃ', 'Maca', 'uva', 'UVA', 'Uva', 'Úva', 'ÚVA', 'úva'];
const TIED = Array.from({ length: 48 }, (_, i) => ({
  name: `${SPELLINGS[i % 12]}${i < 12 ? '' : ` ${Math.floor(i / 12)}`}`,
  price: [0, 0.1, 79.9][i % 3] as number,
  quantity: [0, 2_147_483_647][i % 2] as number,
  createdAt: `2026-01-0${1 + (i % 4)}T10:00:00.12${i % 2}Z`,
  updatedAt: `2026-02-0${1 + (i % 2)}T10:00:00Z`,
}));

const sortValue: Record<string, (product: Listed) => string | number> = {
  name: ({ name }) => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(),
  price: ({ price }) => price,
  quantity: ({ quantity }) => quantity,
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
};
const SORTS = Object.keys(sortValue).flatMap((sort) => [sort, `-${sort}`]);

/** Follows nextCursor from the first page to the end. */
async function walk(client: StoreClient, sort: string, betweenPages = async () => {}): Promise<Listed[]> {
  let { data, meta } = (await client.get(`/products?limit=7&sort=${sort}`)).body;
  const seen: Listed[] = [...data];
  while (meta.nextCursor) {
    await betweenPages();
    ({ data, meta } = (await client.get(`/products?limit=7&cursor=${meta.nextCursor}`)).body);
    expect(Object.keys(meta).sort()).toEqual(['hasMore', 'limit', 'nextCursor']);
    expect(meta).toMatchObject({ limit: 7, hasMore: meta.nextCursor !== null });
    seen.push(...data);
  }
  return seen;
}

function expectInOrder(seen: Listed[], sort: string): void {
  const value = sortValue[sort.replace('-', '')]!;
  const before = (a: Listed, b: Listed) => value(a) < value(b) || (value(a) === value(b) && a.id < b.id);
  for (const [i, later] of seen.slice(1).entries()) {
    const earlier = seen[i]!;
    expect(sort.startsWith('-') ? before(later, earlier) : before(earlier, later)).toBe(true);
  }
}

describe('paging by cursor', () => {
  test.each(SORTS)('visits each product once, in order, with sort=%s', async (sort) => {
    const seen = await walk(store, sort);
    expect(seen.map(({ name }) => name).sort()).toEqual(TIED.map(({ name }) => name).sort());
    expectInOrder(seen, sort);
  });

  test.each(SORTS)(
    'visits each existing product once while others are inserted, with sort=%s',
    async (sort) => {
      const busy = await feira.store();
      await insertProducts(feira, busy, TIED);
      let inserted = 0;
      const seen = await walk(busy, sort, async () => {
        const copies = TIED.slice(0, 3).map((row) => ({ ...row, name: `${row.name} ${sort} ${++inserted}` }));
        await insertProducts(feira, busy, copies);
      });
      const old = seen.filter(({ name }) => TIED.some((row) => row.name === name));
      expect(old.map(({ name }) => name).sort()).toEqual(TIED.map(({ name }) => name).sort());
      expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
      expect(inserted).toBeGreaterThan(0);
    },
  );

  test('may begin at any page', async () => {
    const page2 = (await store.get('/products?limit=20&page=2&sort=name')).body;
    const rest = (await store.get(`/products?limit=100&cursor=${page2.meta.nextCursor}`)).body;
    const all = (await store.get('/products?limit=100&sort=name')).body;
    expect(rest.data).toEqual(all.data.slice(40));
  });

  test('keeps the filters', async () => {
    for (const name of ['Azeite 1', 'Azeite 2', 'Azeite 3'])
      await store.post('/products', { name, price: 1, categoryId: 20 });
    const first = (await store.get('/products?limit=2&search=AZEITE&categoryId=20&sort=name')).body;
    const second = (await store.get(`/products?cursor=${first.meta.nextCursor}`)).body;
    expect(second.data.map(({ name }: Listed) => name)).toEqual(['Azeite 3']);
    for (const { id } of [...first.data, ...second.data]) await store.delete(`/products/${id}`);
  });
});

describe('a cursor that this list did not issue', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forge = (...parts: unknown[]) => encode(['products', ...parts]);
  const ID = '01900000-0000-7000-8000-000000000000';
  const time = '2026-01-01T00:00:00.000Z';

  test.each([
    '',
    '%20',
    'garbage',
    '%00',
    '%F0%9F%91%95',
    'A'.repeat(8000),
    encode(null),
    encode({}),
    encode([]),
    encode('x'),
    forge(null, null, null, null),
    forge('name', {}, 'a', '-'.repeat(36)),
    forge('name', {}, 'a', ID.toUpperCase().replace('0190', 'ABCD')),
    forge('name', {}, 'a\0', ID),
    forge('name', {}, 7, ID),
    forge('name', {}, { a: 1 }, ID),
    forge('price', {}, '1', ID),
    forge('quantity', {}, 1.5, ID),
    forge('quantity', {}, 1e300, ID),
    forge('createdAt', {}, 'yesterday', ID),
    forge('createdAt', {}, '2026-01-01T00:00:00+23:59', ID),
    forge('createdAt', {}, 0, ID),
    forge('color', {}, 'a', ID),
    forge('--name', {}, 'a', ID),
    forge('__proto__', {}, 'a', ID),
    forge('-createdAt', [], time, ID),
    forge('-createdAt', { search: 7 }, time, ID),
    forge('-createdAt', { search: 'a\0' }, time, ID),
    forge('-createdAt', { categoryId: '23' }, time, ID),
    forge('-createdAt', { categoryId: 1e10 }, time, ID),
    forge('-createdAt', { updatedFrom: 'then' }, time, ID),
    forge('-createdAt', { color: 'blue' }, time, ID),
    forge('-createdAt', { statusShipping: 'sent' }, time, ID),
  ])('is rejected: %s', async (cursor) => {
    expectRejected(await store.get(`/products?cursor=${cursor}`), 400);
  });

  test('is accepted if its content is valid, because cursors are not signed', async () => {
    expect((await store.get(`/products?cursor=${forge('-createdAt', {}, time, ID)}`)).status).toBe(200);
  });

  test('is rejected if it belongs to another list', async () => {
    for (const name of ['customers', 'orders', 'toString', 7, null])
      expectRejected(await store.get(`/products?cursor=${encode([name, '-createdAt', {}, time, ID])}`), 400);
    const { nextCursor } = (await store.get('/products?limit=1')).body.meta;
    for (const path of ['/orders', '/customers']) {
      const answer = await store.get(`${path}?cursor=${nextCursor}`);
      expectRejected(answer, 400);
      expect(answer.body.error).toContain('cursor');
    }
  });

  test('is rejected if it consists of a valid cursor and additional characters', async () => {
    const { nextCursor } = (await store.get('/products?limit=1')).body.meta;
    for (const cursor of [
      `${nextCursor}!`,
      `${nextCursor}%20`,
      `.${nextCursor}`,
      `${nextCursor}${nextCursor}`,
    ])
      expectRejected(await store.get(`/products?cursor=${cursor}`), 400);
  });

  test('never causes a 5xx if it is a valid cursor with one changed character', async () => {
    const cursors = await Promise.all(
      SORTS.map(async (sort) => (await store.get(`/products?limit=1&sort=${sort}`)).body.meta.nextCursor),
    );
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const tampered = fc
      .tuple(fc.constantFrom(...cursors), fc.nat(), fc.constantFrom(...letters))
      .map(
        ([cursor, at, letter]) =>
          cursor.slice(0, at % cursor.length) + letter + cursor.slice((at % cursor.length) + 1),
      );
    await fc.assert(
      fc.asyncProperty(tampered, async (cursor) => {
        const answer = await store.get(`/products?limit=1&cursor=${cursor}`);
        expect([200, 400]).toContain(answer.status);
        if (answer.status === 400) expectErrorShape(answer);
      }),
      { seed: 20_261_115, numRuns: sized(100, 300) },
    );
  });
});
