import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { finishRefunds } from '../../src/orders/refund.js';
import type { Notification } from '../../src/payments/gateway.js';
import { type SignedNotification, signNotification } from '../../src/payments/notifications.js';
import { Signer } from '../../src/platform/crypto/signer.js';
import { sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira, type StoreClient, TEST_SECRET } from '../support/feira.js';
import { order } from '../support/shop.js';

const SIGNER = new Signer([TEST_SECRET]);
const MINUTE = 60_000;

let feira: Feira;
let store: StoreClient;
let productId: string;
let orderId: string;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
  productId = (await store.post('/products', { name: 'Mug', price: 50, quantity: 10 })).body.id;
  orderId = await order(
    feira,
    store.workspaceId,
    { productId, variantId: null, quantity: 1 },
    { pay: false },
  );
});

const read = async () => (await store.get(`/orders/${orderId}`)).body;
const names = async () => (await feira.events(store.workspaceId)).map(({ event }) => event);

async function notification(change: Partial<Notification> = {}): Promise<Notification> {
  const { payment, total } = await read();
  return {
    id: randomUUID(),
    type: 'paid',
    workspaceId: store.workspaceId,
    orderId,
    transactionId: payment.transactionId,
    amount: total,
    refundedInAll: 0,
    ...change,
  };
}

async function send(signed: Partial<SignedNotification>): Promise<number> {
  const response = await feira.app.inject({
    method: 'POST',
    url: '/payments/sandbox/notifications',
    headers: {
      'content-type': 'application/json',
      ...(signed.timestamp !== undefined && { 'x-payment-timestamp': signed.timestamp }),
      ...(signed.signature !== undefined && { 'x-payment-signature': signed.signature }),
    },
    ...(signed.body !== undefined && { payload: signed.body }),
  });
  return response.statusCode;
}

/**
 * Simulates an order placed with an earlier version of Feira: the process died between opening the payment and storing
 * its id.
 */
async function forgetPayment(): Promise<{ transactionId: string }> {
  const { payment } = await read();
  await feira.context.db
    .store('test')
    .autocommit.query(
      sql`update orders set transaction_id = null where workspace_id = ${store.workspaceId} and id = ${orderId}`,
    );
  return payment;
}

const notify = async (change: Partial<Notification> = {}, now = feira.clock.now()) =>
  send(signNotification(SIGNER, await notification(change), now));

describe('a notification', () => {
  test('pays the order once, however often it is sent', async () => {
    const signed = signNotification(SIGNER, await notification(), feira.clock.now());
    expect(await Promise.all(Array.from({ length: 10 }, () => send(signed)))).toEqual(Array(10).fill(200));
    expect((await read()).status).toBe('paid');
    expect((await names()).filter((name) => name === 'order.paid')).toHaveLength(1);
    expect((await store.get('/customers')).body.data[0]).toMatchObject({ ordersCount: 1, totalSpent: 62.75 });
  });

  test('with another signature, body or time is rejected', async () => {
    const signed = signNotification(SIGNER, await notification(), feira.clock.now());
    const other = signNotification(new Signer(['another secret']), await notification(), feira.clock.now());
    for (const wrong of [
      other,
      { ...signed, signature: '' },
      { ...signed, signature: 'x'.repeat(64) },
      { ...signed, body: `${signed.body} ` },
      { ...signed, timestamp: String(Number(signed.timestamp) + 1) },
      { body: signed.body, timestamp: signed.timestamp },
      { body: signed.body, signature: signed.signature },
      {},
    ])
      expect(await send(wrong)).toBe(401);
    expect((await read()).status).toBe('pending');
  });

  test('is rejected if its time differs from the clock by more than five minutes', async () => {
    expect(await notify({}, feira.clock.now() - 5 * MINUTE - 1000)).toBe(401);
    expect(await notify({}, feira.clock.now() + 5 * MINUTE + 1000)).toBe(401);
    expect((await read()).status).toBe('pending');
    expect(await notify({}, feira.clock.now() - 4 * MINUTE)).toBe(200);
    expect((await read()).status).toBe('paid');
  });

  test('about an unknown order is accepted and changes no order', async () => {
    expect(await notify({ orderId: randomUUID() })).toBe(200);
    expect(await notify({ workspaceId: (await feira.store()).workspaceId })).toBe(200);
    expect((await read()).status).toBe('pending');
  });

  test('that is malformed is rejected with 400, or with 401 if it is not signed', async () => {
    const unsigned = (body: string) => {
      const now = feira.clock.now();
      const { timestamp } = signNotification(SIGNER, {} as Notification, now);
      return { body, timestamp };
    };
    for (const body of ['', 'x', 'null', '[]', '{}']) expect(await send(unsigned(body))).toBe(401);
    for (const value of [null, [], 'x', 7, {}, { workspaceId: 1, orderId: 2 }])
      expect(await send(signNotification(SIGNER, value as never, feira.clock.now()))).toBe(400);
    for (const change of [
      { id: undefined },
      { id: 7 },
      { type: 'melted' },
      { refundedInAll: 'much' },
      { amount: undefined },
      { amount: -1 },
    ])
      expect(await notify(change as never)).toBe(400);
    for (const transactionId of [undefined, null, 7, '', 'two words', 'x'.repeat(201)])
      expect(await notify({ transactionId } as never)).toBe(400);
  });

  test('of a payment for a canceled order causes a refund, and the order stays canceled', async () => {
    const { payment } = await read();
    const { gateway, db } = feira.context;
    expect(await notify({ type: 'canceled' })).toBe(200);
    expect((await read()).status).toBe('canceled');
    await gateway.decide(payment.transactionId, 'paid');
    await finishRefunds(db, feira.clock, gateway);
    await finishRefunds(db, feira.clock, gateway);
    expect((await gateway.find(payment.transactionId))?.refunded).toBe(62.75);
    expect(await read()).toMatchObject({ status: 'canceled', refundedAmount: 0 });
    expect(await names()).toEqual([
      'product.created',
      'stock.updated',
      'order.created',
      'order.canceled',
      'stock.updated',
    ]);
    expect((await store.get('/customers')).body.data[0]).toMatchObject({ ordersCount: 0, totalSpent: 0 });
  });

  test('sets the payment id of an order if the process that opened the payment died before it recorded the id', async () => {
    const { transactionId } = await forgetPayment();
    await feira.context.gateway.decide(transactionId, 'paid');
    expect(await read()).toMatchObject({ status: 'paid', payment: { transactionId } });
    expect((await store.post(`/orders/${orderId}/refund`, undefined)).body.status).toBe('refunded');
    expect((await feira.context.gateway.find(transactionId))?.refunded).toBe(62.75);
  });

  test('also sets the payment id of a canceled order, so that the payment is refunded', async () => {
    const { transactionId } = await forgetPayment();
    const { gateway, db } = feira.context;
    await notify({ type: 'canceled', transactionId });
    await gateway.decide(transactionId, 'paid');
    await finishRefunds(db, feira.clock, gateway);
    expect((await gateway.find(transactionId))?.refunded).toBe(62.75);
  });

  test('of a second payment does not change the payment of a paid order', async () => {
    const { payment } = await read();
    await notify();
    expect(await notify({ transactionId: 'another' })).toBe(200);
    expect((await read()).payment).toEqual(payment);
  });

  test('of a cancellation has no effect on a paid order', async () => {
    await notify();
    await notify({ type: 'canceled' });
    expect((await read()).status).toBe('paid');
  });
});

describe('a refund from the gateway', () => {
  beforeEach(async () => {
    await feira.context.gateway.decide((await read()).payment.transactionId, 'paid');
  });

  test('of part of the total sets the order to partial_refunded without an order.refunded event; a refund through the API then covers the rest', async () => {
    const { payment } = await read();
    await feira.context.gateway.refundAsMerchant(payment.transactionId, 20);
    expect(await read()).toMatchObject({ status: 'partial_refunded', refundedAmount: 20, refundedAt: null });
    expect(await names()).not.toContain('order.refunded');
    const refunded = await store.post(`/orders/${orderId}/refund`, undefined);
    expect(refunded.body).toMatchObject({
      status: 'refunded',
      refundedAmount: 62.75,
      refund: { amount: 42.75 },
    });
    expect((await names()).filter((name) => name === 'order.refunded')).toHaveLength(1);
    expect((await feira.context.gateway.find(payment.transactionId))?.refunded).toBe(62.75);
  });

  test('that is reported late and out of sequence does not lower the refunded amount', async () => {
    expect(await notify({ type: 'refunded', refundedInAll: 30 })).toBe(200);
    expect(await notify({ type: 'refunded', refundedInAll: 10 })).toBe(200);
    expect(await read()).toMatchObject({ status: 'partial_refunded', refundedAmount: 30 });
  });

  test('of the whole total sets the order to refunded and emits order.refunded once', async () => {
    await feira.context.gateway.refundAsMerchant((await read()).payment.transactionId, undefined);
    expect(await read()).toMatchObject({ status: 'refunded', refundedAmount: 62.75 });
    expect((await names()).filter((name) => name === 'order.refunded')).toHaveLength(1);
  });
});
