import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expireUnpaid } from '../../src/orders/lifecycle.js';
import { Notifications, signNotification } from '../../src/payments/notifications.js';
import { Signer } from '../../src/platform/crypto/signer.js';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct, observe } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient, TEST_SECRET } from '../support/feira.js';
import { dataOf, transactionOf } from '../support/orders.js';
import { finishRefundsIn, refundedAmounts } from '../support/refunds.js';
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
  order(one, store.workspaceId, { productId, variantId: null, quantity: 1 }, options);
const read = async (id: string) => (await store.get(`/orders/${id}`)).body;
const movements = async (id: string) => (await refundedAmounts(one, id)).length;
const workersFinish = () => finishRefundsIn([one, two]);

describe('a refund made at the gateway', () => {
  test('for part of the total sets the order to partial_refunded, with an event and a new updatedAt', async () => {
    const id = await place();
    const before = await read(id);
    const { events } = await observe(one, store, async () => {
      await one.context.gateway.refundAsMerchant(await transactionOf(one, id), 10);
      return store.get('/orders');
    });
    expect(events).toEqual([
      { event: 'order.partially_refunded', data: { orderId: id, amount: 10, refundedAmount: 10 } },
    ]);
    const after = await read(id);
    expect(after).toMatchObject({ status: 'partial_refunded', refundedAmount: 10, refundedAt: null });
    expect(after.statusShipping).toBe('pending');
    expect(after.updatedAt > before.updatedAt).toBe(true);
  });

  test('in full, at once or in parts, sets the order to refunded and emits order.refunded once', async () => {
    const [whole, pieces] = [await place(), await place()];
    await one.context.gateway.refundAsMerchant(await transactionOf(one, whole), undefined);
    for (const amount of [12.5, 99.99, undefined])
      await one.context.gateway.refundAsMerchant(await transactionOf(one, pieces), amount);
    for (const id of [whole, pieces])
      expect(await read(id)).toMatchObject({ status: 'refunded', refundedAmount: 112.75 });
    expect(await dataOf(one, store, 'order.refunded')).toEqual([{ orderId: whole }, { orderId: pieces }]);
  });

  test('makes a full refund through the API return 409 until the gateway’s notification arrives', async () => {
    const id = await place();
    const payment = await transactionOf(one, id);
    // The gateway has refunded, but its notification has not arrived yet.
    await one.context.gateway.refund(payment, 'from its back office', 10);
    const refused = await store.post(`/orders/${id}/refund`, undefined);
    expect([refused.status, refused.body.code]).toEqual([409, 'over_balance']);
    await hear(id, 'refunded', 10, 'late');
    const { status, body } = await store.post(`/orders/${id}/refund`, undefined);
    expect([status, body.refund.amount, body.status]).toEqual([200, 102.75, 'refunded']);
    await workersFinish();
    expect(await movements(id)).toBe(2);
    expect(await dataOf(one, store, 'order.refunded')).toHaveLength(1);
  });
});

const SIGNER = new Signer([TEST_SECRET]);

async function hear(orderId: string, type: 'paid' | 'refunded', refundedInAll: number, id: string) {
  const { workspaceId } = store;
  const transactionId = await transactionOf(one, orderId);
  const { total } = (await store.get(`/orders/${orderId}`)).body;
  const reported = { id, type, workspaceId, orderId, transactionId, amount: total, refundedInAll };
  const notifications = new Notifications(one.context.db, one.clock, SIGNER);
  await notifications.receive(signNotification(SIGNER, reported, one.clock.now()));
}

describe('a notification', () => {
  test('sent 20 times to two servers counts once', async () => {
    const id = await place({ pay: false });
    const transactionId = await transactionOf(one, id);
    const reported = {
      id: 'sent-often',
      type: 'paid' as const,
      workspaceId: store.workspaceId,
      orderId: id,
      transactionId,
      amount: (await store.get(`/orders/${id}`)).body.total,
      refundedInAll: 0,
    };
    const signed = signNotification(SIGNER, reported, one.clock.now());
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        new Notifications((index % 2 ? one : two).context.db, one.clock, SIGNER).receive(signed),
      ),
    );
    expect(await dataOf(one, store, 'order.paid')).toEqual([{ orderId: id }]);
    expect((await store.get('/customers')).body.data[0].ordersCount).toBe(1);
  });

  test('that is forged, or whose time differs too much from the clock, is rejected', async () => {
    const id = await place({ pay: false });
    const reported = {
      id: 'forged',
      type: 'paid' as const,
      workspaceId: store.workspaceId,
      orderId: id,
      transactionId: 'x',
      amount: 10,
      refundedInAll: 0,
    };
    const { db } = one.context;
    const now = one.clock.now();
    for (const signed of [
      signNotification(new Signer(['another secret']), reported, now),
      { ...signNotification(SIGNER, reported, now), timestamp: String(now + 1) },
      { ...signNotification(SIGNER, reported, now), body: '{}' },
      signNotification(SIGNER, reported, now - 301_000),
      signNotification(SIGNER, reported, now + 301_000),
    ]) {
      await expect(new Notifications(db, one.clock, SIGNER).receive(signed)).rejects.toMatchObject({
        status: 401,
      });
    }
    expect((await read(id)).status).toBe('pending');
  });

  test('of a payment for a canceled order causes a refund, and the order stays canceled', async () => {
    const id = await place({ pay: false });
    await one.context.db
      .store('test')
      .autocommit.query(sql`update orders set expires_at = now() - interval '1 minute' where id = ${id}`);
    await expireUnpaid(one.context.db, one.clock);
    expect((await read(id)).status).toBe('canceled');
    await one.context.gateway.decide(await transactionOf(one, id), 'paid');
    await workersFinish();
    expect(await movements(id)).toBe(1);
    expect(await read(id)).toMatchObject({ status: 'canceled', paidAt: null, refundedAmount: 0 });
    expect(await dataOf(one, store, 'order.paid')).toEqual([]);
    expect(await dataOf(one, store, 'order.refunded')).toEqual([]);
    expect((await store.get(`/products/${productId}`)).body.quantity).toBe(10);
    expect((await store.get('/customers')).body.data[0]).toMatchObject({ ordersCount: 0, totalSpent: 0 });
  });
});
