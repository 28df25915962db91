import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newProduct } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { allByCursor, dated, transactionOf } from '../support/orders.js';
import { sharedFeira } from '../support/shared-feira.js';
import { order } from '../support/shop.js';

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await sharedFeira();
});
beforeEach(async () => {
  store = await feira.store();
  productId = await newProduct(store, { quantity: 100, sku: 'MUG' });
});

const place = (options: { pay?: boolean } = {}) =>
  order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 }, options);

const ids = async (query: string): Promise<string[]> => {
  const { status, body } = await store.get(`/orders${query}`);
  expect(status).toBe(200);
  return body.data.map(({ id }: { id: string }) => id);
};

test('the list returns each order as GET /orders/{id} does', async () => {
  const id = await place();
  await store.post('/shipments', { orderId: id });
  const { body: listed } = await store.get('/orders');
  const { body: detail } = await store.get(`/orders/${id}`);
  expect(listed).toEqual({
    data: [detail],
    meta: { limit: 50, page: 1, total: 1, totalPages: 1, hasMore: false, nextCursor: null },
  });
});

test('orders of another store cannot be listed, searched or read by id', async () => {
  const id = await place();
  const other = await feira.store();
  for (const query of ['', '?search=bia', '?sort=updatedAt', '?dateType=updated', '?status=paid']) {
    expect((await other.get(`/orders${query}`)).body.data).toEqual([]);
  }
  const { meta } = (await store.get('/orders?sort=updatedAt')).body;
  expect((await other.get(`/orders?cursor=${meta.nextCursor}`)).status).toBe(410);
  const foreign = await other.get(`/orders/${id}`);
  const missing = await other.get('/orders/01890000-0000-7000-8000-000000000000');
  expect([foreign.status, missing.status, foreign.body.code]).toEqual([404, 404, missing.body.code]);
  expect((await store.get('/orders/17')).status).toBe(404);
});

test('POST /orders and all writes to /orders/{id} return 405', async () => {
  const id = await place();
  expect((await store.post('/orders', { items: [] })).status).toBe(405);
  for (const method of ['PATCH', 'PUT', 'DELETE', 'POST']) {
    const { status, headers } = await store.call(method, `/orders/${id}`, { status: 'paid' });
    expect([method, status, headers.allow]).toEqual([method, 405, expect.stringContaining('GET')]);
  }
});

describe('filters', () => {
  test('status and statusShipping filter exactly, alone and combined', async () => {
    const [pending, paid, partial, refunded, canceled, sent] = [
      await place({ pay: false }),
      await place(),
      await place(),
      await place(),
      await place({ pay: false }),
      await place(),
    ];
    const { gateway } = feira.context;
    await gateway.refundAsMerchant(await transactionOf(feira, partial), 1);
    await store.post(`/orders/${refunded}/refund`, undefined);
    await gateway.decide(await transactionOf(feira, canceled), 'canceled');
    await store.patch(`/orders/${sent}/shipping-status`, { statusShipping: 'sent' });

    expect(await ids('?status=pending')).toEqual([pending]);
    expect(await ids('?status=paid')).toEqual([sent, paid]);
    expect(await ids('?status=partial_refunded')).toEqual([partial]);
    expect(await ids('?status=refunded')).toEqual([refunded]);
    expect(await ids('?status=canceled')).toEqual([canceled]);
    expect(await ids('?statusShipping=sent')).toEqual([sent]);
    expect(await ids('?statusShipping=canceled')).toEqual([canceled, refunded]);
    expect(await ids('?statusShipping=pending&status=paid')).toEqual([paid]);
    expect(await ids('?statusShipping=delivered')).toEqual([]);
  });

  test('updatedFrom and updatedTo are times, both inclusive', async () => {
    const [a, b, c] = [await place(), await place(), await place()];
    await dated(feira, a, { updatedAt: '2026-03-01T10:00:00.000Z' });
    await dated(feira, b, { updatedAt: '2026-03-01T10:00:00.001Z' });
    await dated(feira, c, { updatedAt: '2026-03-02T00:00:00.000Z' });
    expect(await ids('?updatedFrom=2026-03-01T10:00:00.001Z')).toEqual([c, b]);
    expect(await ids('?updatedTo=2026-03-01T10:00:00.001Z')).toEqual([b, a]);
    expect(await ids('?updatedFrom=2026-03-01T07:00:00-03:00&updatedTo=2026-03-01T10:00:00Z')).toEqual([a]);
    expect(await ids('?updatedFrom=2026-03-02T23:59:00%2B23:59')).toEqual([c]);
  });

  test.each([
    'status=open',
    'status=',
    'status=PAID',
    'statusShipping=shipped',
    'dateType=paid',
    'updatedFrom=2026-03-01',
    'updatedTo=yesterday',
    'updatedFrom=2026-02-30T00:00:00Z',
    'sort=total',
    'sort=--updatedAt',
    'limit=0',
    'page=0',
    'page=201&limit=50',
    'cursor=abc',
    'search=%00',
  ])('%s returns 400', async (query) => {
    const { status, body } = await store.get(`/orders?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid_parameter']);
  });
});

describe('sorting and paging', () => {
  let created: string[];
  let updated: string[];

  beforeEach(async () => {
    // The orders are changed in a different sequence from the one in which they were placed. Some of them have the same
    // createdAt or updatedAt, so that their ids decide which one comes first.
    const made: string[] = [];
    for (let index = 0; index < 7; index++) made.push(await place());
    for (const index of made.keys()) {
      const change = { statusShipping: 'preparing', carrier: `Carrier ${index}` };
      const shuffled = made[(index * 3) % made.length]!;
      expect((await store.patch(`/orders/${shuffled}/shipping-status`, change)).status).toBe(200);
    }
    // A change sets updatedAt, so the orders are dated only after all changes.
    for (const [index, id] of made.entries()) {
      await dated(feira, id, {
        createdAt: `2026-03-0${1 + Math.floor(index / 2)}T12:00:00Z`,
        updatedAt: `2026-04-0${1 + Math.floor(((index * 5) % 7) / 2)}T12:00:00Z`,
      });
    }
    const records = (await store.get('/orders')).body.data as {
      id: string;
      createdAt: string;
      updatedAt: string;
    }[];
    const by = (key: 'createdAt' | 'updatedAt') =>
      [...records].sort((a, b) => (a[key] + a.id < b[key] + b.id ? -1 : 1)).map(({ id }) => id);
    created = by('createdAt');
    updated = by('updatedAt');
  });

  test('the list is sorted by the chosen date, newest first by default', async () => {
    expect(await ids('')).toEqual([...created].reverse());
    expect(await ids('?dateType=created')).toEqual([...created].reverse());
    expect(await ids('?dateType=updated')).toEqual([...updated].reverse());
    expect(await ids('?sort=createdAt')).toEqual(created);
    expect(await ids('?sort=-createdAt')).toEqual([...created].reverse());
    expect(await ids('?sort=-updatedAt')).toEqual([...updated].reverse());
    expect(await ids('?dateType=updated&sort=createdAt')).toEqual(created);
  });

  test.each(['createdAt', '-createdAt', 'updatedAt', '-updatedAt'])(
    'sort=%s returns the same list by page, by cursor and in one page',
    async (sort) => {
      const whole = await ids(`?sort=${sort}`);
      expect(new Set(whole)).toEqual(new Set(created));
      const paged = [1, 2, 3, 4].map((page) => ids(`?sort=${sort}&limit=2&page=${page}`));
      expect((await Promise.all(paged)).flat()).toEqual(whole);
      const followed = await allByCursor(store, `/orders?sort=${sort}&limit=2`);
      expect(followed.map(({ id }) => id)).toEqual(whole);
    },
  );

  test('a cursor contains the sort and the filters, and a different sort or filter sent with it is rejected', async () => {
    const { meta } = (await store.get('/orders?status=paid&sort=createdAt&limit=2')).body;
    expect(meta).toMatchObject({ page: 1, total: 7, totalPages: 4, hasMore: true });
    const next = (await store.get(`/orders?cursor=${meta.nextCursor}&status=paid&limit=2`)).body;
    expect(next.data.map(({ id }: { id: string }) => id)).toEqual(created.slice(2, 4));
    expect(Object.keys(next.meta)).toEqual(['limit', 'hasMore', 'nextCursor']);
    for (const beside of ['status=pending', 'sort=-createdAt', 'page=2', 'from=2026-01-01']) {
      expect((await store.get(`/orders?cursor=${meta.nextCursor}&${beside}`)).status).toBe(400);
    }
  });

  test('a modified cursor is rejected and never causes a 5xx', async () => {
    const forged = (...parts: unknown[]) =>
      Buffer.from(JSON.stringify(['orders', ...parts])).toString('base64url');
    const id = created[0];
    for (const cursor of [
      forged('createdAt', {}, '2026-01-01T00:00:00+23:59', id),
      forged('updatedAt', {}, '-1', id),
      forged('updatedAt', {}, '99999999999999999999', id),
      forged('updatedAt', {}, `${'0'.repeat(16)}.-1`, id),
      forged('updatedAt', {}, 7, id),
      forged('createdAt', { from: '2026-02-31' }, '2026-01-01T00:00:00Z', id),
      forged('createdAt', { status: 'open' }, '2026-01-01T00:00:00Z', id),
    ]) {
      expect((await store.get(`/orders?cursor=${cursor}`)).status).toBe(400);
    }
    for (const place of [`${'0'.repeat(16)}.1`, `${'0'.repeat(16)}.999999999999999`]) {
      const unknown = forged('updatedAt', {}, place, id);
      expect((await store.get(`/orders?cursor=${unknown}`)).status).toBe(410);
    }
  });
});

describe('at the end of the list', () => {
  test('sort=updatedAt still returns a next cursor, and a later request continues from there', async () => {
    const id = await place();
    const { data, meta } = (await store.get('/orders?sort=updatedAt')).body;
    expect([data.length, meta.hasMore, typeof meta.nextCursor]).toEqual([1, false, 'string']);
    const nothing = (await store.get(`/orders?cursor=${meta.nextCursor}`)).body;
    expect(nothing).toEqual({ data: [], meta: { limit: 50, hasMore: false, nextCursor: meta.nextCursor } });
    await store.patch(`/orders/${id}/shipping-status`, { statusShipping: 'sent' });
    const [changed] = (await store.get(`/orders?cursor=${nothing.meta.nextCursor}`)).body.data;
    expect(changed).toMatchObject({ id, statusShipping: 'sent' });
  });

  test('sort=updatedAt returns a next cursor even if the list is empty, and a client can start from it', async () => {
    const { data, meta } = (await store.get('/orders?sort=updatedAt')).body;
    expect([data, meta.total, meta.hasMore, typeof meta.nextCursor]).toEqual([[], 0, false, 'string']);
    const id = await place();
    expect(await ids(`?cursor=${meta.nextCursor}`)).toEqual([id]);
  });

  test('other sorts return no next cursor', async () => {
    await place();
    for (const sort of ['createdAt', '-createdAt', '-updatedAt']) {
      expect((await store.get(`/orders?sort=${sort}`)).body.meta.nextCursor).toBeNull();
    }
  });
});
