import { beforeAll, describe, expect, test } from 'vitest';
import { expectRejected } from '../support/expect-rejected.js';
import type { StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

let store: StoreClient;

beforeAll(async () => {
  store = await (await sharedFeira()).store();
});

describe('together with a cursor', () => {
  const asked = 'search=a&categoryId=23&updatedFrom=2026-01-01T00:00:00Z&sort=-price';

  test('a sort or filter that equals that of the cursor is accepted, and may be left out', async () => {
    for (const name of ['Abacate', 'Amora', 'Ameixa']) await store.post('/products', { name, price: 3 });
    const { nextCursor } = (await store.get(`/products?limit=1&${asked}`)).body.meta;
    expect(nextCursor).not.toBeNull();
    for (const same of [asked, 'sort=-price', 'categoryId=23&search=a', '', 'limit=100'])
      expect([same, (await store.get(`/products?cursor=${nextCursor}&${same}`)).status]).toEqual([same, 200]);
  });

  test('a filter may be written in another way that means the same', async () => {
    const { nextCursor } = (await store.get(`/products?limit=1&${asked}`)).body.meta;
    const { nextCursor: plain } = (await store.get('/products?limit=1')).body.meta;
    for (const [cursor, same] of [
      [nextCursor, 'updatedFrom=2026-01-01T00:00:00.000Z'],
      [nextCursor, 'updatedFrom=2025-12-31T21:00:00-03:00'],
      [plain, 'search='],
    ])
      expect([same, (await store.get(`/products?cursor=${cursor}&${same}`)).status]).toEqual([same, 200]);
    expectRejected(await store.get(`/products?cursor=${nextCursor}&search=`), 400);
    expectRejected(await store.get(`/products?cursor=${plain}&sku=`), 400);
  });

  test('`page`, and a sort or filter that differs from that of the cursor, are rejected', async () => {
    const { nextCursor } = (await store.get(`/products?limit=1&${asked}`)).body.meta;
    const others = [
      'page=1',
      'page=2',
      'sort=price',
      'sort=-createdAt',
      'sort=nonsense',
      'search=b',
      'search=A',
      'categoryId=1',
      'sku=x',
      'ean=x',
      'updatedFrom=2026-01-01T00:00:01Z',
      'updatedTo=2026-01-01T00:00:00Z',
    ];
    for (const other of others)
      expectRejected(await store.get(`/products?cursor=${nextCursor}&${other}`), 400);
    const { nextCursor: plain } = (await store.get('/products?limit=1')).body.meta;
    expectRejected(await store.get(`/products?cursor=${plain}&search=a`), 400);
    expectRejected(await store.get(`/products?cursor=${plain}&sort=createdAt`), 400);
    expect((await store.get(`/products?cursor=${plain}&sort=-createdAt`)).status).toBe(200);
  });

  test('a limit of 0 is rejected', async () => {
    const { nextCursor } = (await store.get('/products?limit=1')).body.meta;
    expectRejected(await store.get(`/products?cursor=${nextCursor}&limit=0`), 400);
  });
});
