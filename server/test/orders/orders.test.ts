import { beforeAll, beforeEach, expect, test } from 'vitest';
import { addBusinessDays, localDay } from '../../src/orders/business-days.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';
import { buy, order } from '../support/shop.js';

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await sharedFeira();
});
beforeEach(async () => {
  store = await feira.store();
  productId = (await store.post('/products', { name: 'Mug', price: 34.9, quantity: 10, sku: 'MUG' })).body.id;
});

const line = (quantity = 1) => ({ productId, variantId: null, quantity });

test('a paid order has the documented fields', async () => {
  const id = await order(feira, store.workspaceId, line(2));
  const { status, body } = await store.get(`/orders/${id}`);
  expect(status).toBe(200);
  expect(body).toEqual({
    id,
    number: 1001,
    status: 'paid',
    statusShipping: 'pending',
    codeShipping: null,
    carrier: null,
    trackingUrl: null,
    shippingService: 'economy',
    estimatedDelivery: addBusinessDays(localDay(feira.clock.now(), 'America/Sao_Paulo'), 2),
    currency: 'BRL',
    subtotal: 69.8,
    discount: 0,
    shippingCost: 12.75,
    total: 82.55,
    refundedAmount: 0,
    payment: {
      method: 'pix',
      installments: 1,
      gateway: 'sandbox',
      transactionId: expect.stringMatching(/^sbx_/),
    },
    customer: {
      id: expect.any(String),
      name: 'Bia Souza',
      email: 'bia@cliente.example',
      phone: '11999990000',
      document: '52998224725',
    },
    shippingAddress: expect.objectContaining({ city: 'São Paulo', zipCode: '01001000' }),
    items: [
      {
        productId,
        variantId: null,
        sku: 'MUG',
        ean: null,
        name: 'Mug',
        combination: null,
        quantity: 2,
        unitPrice: 34.9,
        total: 69.8,
      },
    ],
    invoices: [],
    expiresAt: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    paidAt: expect.any(String),
    shippedAt: null,
    deliveredAt: null,
    refundedAt: null,
    canceledAt: null,
  });
  expect((await store.get(`/products/${productId}`)).body.quantity).toBe(8);
  expect((await feira.events(store.workspaceId)).map(({ event }) => event)).toEqual([
    'product.created',
    'stock.updated',
    'order.created',
    'order.paid',
  ]);
});

test('twenty concurrent calls refund the total once and emit order.refunded once', async () => {
  const id = await order(feira, store.workspaceId, line());
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => store.post(`/orders/${id}/refund`, { reason: 'broken', restock: true })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
  const done = answers.find(({ status }) => status === 200)!.body;
  expect(done).toMatchObject({
    status: 'refunded',
    refundedAmount: 47.65,
    statusShipping: 'canceled',
    refund: { amount: 47.65, reason: 'broken' },
  });
  expect((await store.get(`/products/${productId}`)).body.quantity).toBe(10);
  const events = (await feira.events(store.workspaceId)).filter(({ event }) => event === 'order.refunded');
  expect(events).toEqual([{ event: 'order.refunded', data: { orderId: id } }]);
  expect((await store.post(`/orders/${id}/refund`, { amount: 1 })).status).toBe(422);
});

test('a parcel is sent with a code and tracked, and cannot return to preparing', async () => {
  const id = await order(feira, store.workspaceId, line());
  const sent = await store.patch(`/orders/${id}/shipping-status`, {
    statusShipping: 'sent',
    codeShipping: 'AA123456785BR',
    carrier: 'Correios',
  });
  expect(sent.body).toMatchObject({
    statusShipping: 'sent',
    codeShipping: 'AA123456785BR',
    shippedAt: expect.any(String),
  });
  const tracking = await store.get('/shipments/AA123456785BR/tracking');
  expect(tracking.body).toMatchObject({
    orderId: id,
    carrier: 'Correios',
    statusShipping: 'sent',
    events: [{ status: 'sent' }],
  });
  const back = await store.patch(`/orders/${id}/shipping-status`, { statusShipping: 'preparing' });
  expect(back.status).toBe(409);
  expect(back.body.error).toContain('in_transit, delivered, returned');
});

test('only one label can be created for a paid order', async () => {
  const id = await order(feira, store.workspaceId, line());
  const made = await store.post('/shipments', { orderId: id });
  expect(made.status).toBe(201);
  const label = await feira.app.inject(made.body.labelUrl.replace('http://feira.test', ''));
  expect(label.statusCode).toBe(200);
  expect(label.rawPayload.subarray(0, 5).toString()).toBe('%PDF-');
  expect((await store.post('/shipments', { orderId: id })).status).toBe(409);
});

test('more units of a product than are in stock cannot be bought', async () => {
  expect(await buy(feira, store.workspaceId, { lines: [line(11)] })).toEqual({
    faults: [{ line: line(11), problem: 'short', available: 10 }],
  });
});

test('the totals of customers follow payments and refunds', async () => {
  const id = await order(feira, store.workspaceId, line());
  await order(feira, store.workspaceId, line(), { pay: false });
  await store.post(`/orders/${id}/refund`, undefined);
  const { body } = await store.get('/customers?search=bia');
  expect(body.data).toEqual([
    expect.objectContaining({ document: '52998224725', ordersCount: 1, totalSpent: 0 }),
  ]);
});
