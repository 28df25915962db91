import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newProduct, newVaried, observe } from '../support/catalog.js';
import { type Answer, type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { dataOf, transactionOf } from '../support/orders.js';
import { refundedAmounts } from '../support/refunds.js';
import { order } from '../support/shop.js';

let one: Feira;
let two: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  one = await openFeira();
  two = await openFeira({ on: one });
});
afterAll(() => one.close());
beforeEach(async () => {
  store = await one.store();
  productId = await newProduct(store, { price: 100, quantity: 10 });
});

const place = (options: { pay?: boolean } = {}) =>
  order(one, store.workspaceId, { productId, variantId: null, quantity: 2 }, options);
const refund = (id: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  store.post(`/orders/${id}/refund`, body, headers);
const balance = async (id = productId) => (await store.get(`/products/${id}`)).body.quantity;
const movements = (id: string) => refundedAmounts(one, id);

describe('a refund', () => {
  test('of a paid order covers the total, returns the order with the refund, and emits an event', async () => {
    const id = await place();
    const done = await observe(one, store, () => refund(id, { reason: 'gave it up' }));
    expect([done.status, done.body]).toEqual([
      200,
      {
        ...(await store.get(`/orders/${id}`)).body,
        refund: {
          id: expect.any(String),
          amount: 212.75,
          reason: 'gave it up',
          createdAt: expect.any(String),
        },
      },
    ]);
    expect(done.body).toMatchObject({
      status: 'refunded',
      statusShipping: 'canceled',
      refundedAmount: 212.75,
      refundedAt: done.body.updatedAt,
    });
    expect(done.events).toEqual([{ event: 'order.refunded', data: { orderId: id } }]);
    expect(await movements(id)).toEqual([212.75]);
  });

  test('of a partly refunded order covers what is left', async () => {
    const id = await place();
    await one.context.gateway.refundAsMerchant(await transactionOf(one, id), 12.74);
    const { status, body } = await refund(id);
    expect([status, body.refund.amount, body.refundedAmount]).toEqual([200, 200.01, 212.75]);
    expect(await movements(id)).toEqual([12.74, 200.01]);
  });

  test.each([undefined, {}, { reason: null }, { restock: false }])('may have the body %j', async (body) => {
    const answer = await refund(await place(), body);
    expect([answer.status, answer.body.refund.reason]).toEqual([200, null]);
  });
});

describe('stock', () => {
  test('is returned, with an event, if restock is true, and is unchanged otherwise', async () => {
    const [kept, returned] = [await place(), await place()];
    expect(await balance()).toBe(6);
    await refund(kept);
    expect(await balance()).toBe(6);
    const { events } = await observe(one, store, () => refund(returned, { restock: true }));
    expect(await balance()).toBe(8);
    expect(events).toEqual([
      { event: 'stock.updated', data: { id: productId, quantity: 8 } },
      { event: 'order.refunded', data: { orderId: returned } },
    ]);
  });

  test('of a variation is returned to the variation and to the total of its product', async () => {
    const shirt = await newVaried(store, { P: 5, G: 5 });
    const [, large] = (await store.get(`/products/${shirt}/variants`)).body.data;
    const id = await order(one, store.workspaceId, { productId: shirt, variantId: large.id, quantity: 3 });
    const { events } = await observe(one, store, () => refund(id, { restock: true }));
    expect(events[0]).toEqual({ event: 'stock.updated', data: { id: shirt, sku: 'G', quantity: 5 } });
    expect(await balance(shirt)).toBe(10);
  });

  test('cannot be returned to a deleted product, but the refund succeeds', async () => {
    const id = await place();
    await store.delete(`/products/${productId}`);
    expect((await refund(id, { restock: true })).status).toBe(200);
  });

  test('does not exceed the maximum quantity, and the refund succeeds', async () => {
    const shirt = await newVaried(store, { P: 5 });
    const [only] = (await store.get(`/products/${shirt}/variants`)).body.data;
    const ids = [
      await place(),
      await order(one, store.workspaceId, { productId: shirt, variantId: only.id, quantity: 1 }),
    ];
    await store.patch(`/products/${productId}/stock`, { quantity: 2_147_483_647 });
    await store.patch(`/products/${shirt}/variants/P/stock`, { quantity: 2_147_483_647 });
    for (const id of ids) expect((await refund(id, { restock: true })).status).toBe(200);
    expect([await balance(), await balance(shirt)]).toEqual([2_147_483_647, 2_147_483_647]);
  });
});

describe('invalid calls', () => {
  test.each([
    { amount: 1 },
    { amount: 212.75 },
    { amount: null },
    { restock: 'yes' },
    { reason: 'x'.repeat(501) },
  ])('%j returns 422', async (body) => {
    const id = await place();
    const answer = await refund(id, body);
    expect(answer.status).toBe(422);
    expect((await store.get(`/orders/${id}`)).body.status).toBe('paid');
    expect(await movements(id)).toEqual([]);
  });

  test('an order that is unpaid, canceled or already refunded returns 409 with its status', async () => {
    const pending = await place({ pay: false });
    const canceled = await place({ pay: false });
    await one.context.gateway.decide(await transactionOf(one, canceled), 'canceled');
    const refunded = await place();
    await refund(refunded);
    for (const [id, state] of [
      [pending, 'pending'],
      [canceled, 'canceled'],
      [refunded, 'refunded'],
    ] as const) {
      const { status, body, events } = await observe(one, store, () => refund(id));
      expect([status, body.code, events]).toEqual([409, 'not_refundable', []]);
      expect(body.error).toContain(`is ${state}`);
    }
    expect(await movements(refunded)).toEqual([212.75]);
  });

  test('a wrong scope returns 403; an order that is unknown or of another store returns 404', async () => {
    const id = await place();
    const reader = await store.withScopes(['orders:read']);
    expect((await reader.post(`/orders/${id}/refund`, undefined)).status).toBe(403);
    expect((await (await one.store()).post(`/orders/${id}/refund`, undefined)).status).toBe(404);
    expect((await refund('x')).status).toBe(404);
  });
});

describe('concurrent calls', () => {
  test('100 refund calls through two servers make one refund and emit order.refunded once', async () => {
    const id = await place();
    const other = store.through(two);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (index % 2 ? store : other).post(`/orders/${id}/refund`, { restock: true }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(99);
    expect(await movements(id)).toEqual([212.75]);
    expect(await dataOf(one, store, 'order.refunded')).toEqual([{ orderId: id }]);
    expect(await balance()).toBe(10);
  });

  test('that repeat a completed call with its Idempotency-Key return its response through either server, or 409 while another repeat is running', async () => {
    const id = await place();
    const key = { 'idempotency-key': 'give back' };
    const first = await refund(id, { reason: 'a' }, key);
    expect(first.status).toBe(200);
    const repeats = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        (index % 2 ? store : store.through(two)).post(`/orders/${id}/refund`, { reason: 'a' }, key),
      ),
    );
    for (const repeat of repeats) {
      // A repeat gets this error while another repeat is running.
      if (repeat.status === 409) expect(repeat.body.code).toBe('idempotency_key_in_use');
      else expect([repeat.status, repeat.body]).toEqual([200, first.body]);
    }
    expect((await refund(id, { reason: 'b' }, key)).status).toBe(422);
    expect(await movements(id)).toEqual([212.75]);
    expect(await dataOf(one, store, 'order.refunded')).toHaveLength(1);
  });

  test('with one Idempotency-Key make one refund: each returns it, or 409 while another is running', async () => {
    const id = await place();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (index % 2 ? store : store.through(two)).post(`/orders/${id}/refund`, {}, { 'idempotency-key': 'k' }),
      ),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    expect(new Set(done.map(({ body }) => body.refund.id)).size).toBe(1);
    const rest = answers.filter(({ status }) => status !== 200);
    expect(rest.filter(({ body }) => body.code !== 'idempotency_key_in_use')).toEqual([]);
    expect(await movements(id)).toEqual([212.75]);
  });
});

test('a paid order of R$ 0 is refunded without calling the gateway, and emits order.refunded', async () => {
  const free = await newProduct(store, { price: 0, quantity: 3, typeId: 1 });
  const id = await order(one, store.workspaceId, { productId: free, variantId: null, quantity: 1 });
  expect((await store.get(`/orders/${id}`)).body).toMatchObject({ status: 'paid', total: 0 });
  const done = await observe(one, store, () => refund(id, { restock: true }));
  expect([done.status, done.body.status, done.body.refund.amount]).toEqual([200, 'refunded', 0]);
  expect(done.body.refundedAt).toEqual(expect.any(String));
  expect(done.events.at(-1)).toEqual({ event: 'order.refunded', data: { orderId: id } });
  expect(await balance(free)).toBe(3);
  expect(await movements(id)).toEqual([]);
  expect((await refund(id)).body.code).toBe('not_refundable');
});
