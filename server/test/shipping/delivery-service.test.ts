import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addBusinessDays, localDay } from '../../src/orders/business-days.js';
import { sql } from '../../src/platform/db/sql.js';
import { shopOf, TYPED, Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import { ALL_SCOPES, type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { inTimeZone, transactionOf } from '../support/orders.js';
import { BUYER, order } from '../support/shop.js';

const DAY = 24 * 60 * 60 * 1000;
const ZONE = 'America/Sao_Paulo';
const SALVADOR = { ...BUYER.address, city: 'Salvador', state: 'BA', zipCode: '40140000' };

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
  productId = await newProduct(store, { price: 50, quantity: 100, weight: 2 });
});

const line = (product = productId) => ({ productId: product, variantId: null, quantity: 1 });
const place = (options: Parameters<typeof order>[3] = {}, product = productId) =>
  order(feira, store.workspaceId, line(product), options);
const read = async (id: string) => (await store.get(`/orders/${id}`)).body;
const after = (days: number, zone = ZONE) => addBusinessDays(localDay(feira.clock.now(), zone), days);

/** Moves the clock and issues a new token, because tokens are valid for only two hours. */
async function forward(milliseconds: number): Promise<void> {
  feira.clock.forward(milliseconds);
  store = await store.withScopes(ALL_SCOPES);
}

describe('the delivery service', () => {
  // Economy delivery to Salvador costs R$ 24 plus R$ 6 per kilogram and takes 7 business days. Express delivery costs
  // 1.8 times as much and takes 4.
  test.each([
    ['economy', 36, 7],
    ['express', 64.8, 4],
  ] as const)(
    '%s is shown in the order, and the shipment has its cost and estimated delivery',
    async (service, cost, days) => {
      const id = await place({ service, buyer: { address: SALVADOR } });
      const placed = await read(id);
      expect(placed).toMatchObject({
        shippingService: service,
        shippingCost: cost,
        estimatedDelivery: after(days),
      });
      const label = await store.post('/shipments', { orderId: id });
      expect([label.status, label.body.cost]).toEqual([201, cost]);
      const tracking = (await store.get(`/shipments/${label.body.code}/tracking`)).body;
      expect(tracking.estimatedDelivery).toBe(after(days));
    },
  );

  test('chosen on the checkout page is stored', async () => {
    const visitor = new Visitor(feira, await shopOf(feira, store));
    await visitor.buy(productId, { ...TYPED, delivery: 'express' });
    expect((await store.get('/orders')).body.data[0]).toMatchObject({
      shippingService: 'express',
      estimatedDelivery: after(1),
    });
  });

  test('is null for orders from early releases, and their labels use economy delivery', async () => {
    const id = await place({ buyer: { address: SALVADOR } });
    await feira.context.db.store('test').autocommit.query(sql`
      update orders set shipping_service = null, delivery_days = null, estimated_delivery = null where id = ${id}`);
    expect(await read(id)).toMatchObject({ shippingService: null, estimatedDelivery: null });
    expect((await store.post('/shipments', { orderId: id })).body.cost).toBe(36);
    expect((await read(id)).estimatedDelivery).toBe(after(7));
  });
});

describe('the estimated delivery', () => {
  test('is calculated again when the order is paid and when its label is created', async () => {
    const id = await place({ pay: false, method: 'boleto' });
    expect((await read(id)).estimatedDelivery).toBe(after(2));
    await forward(3 * DAY);
    await feira.context.gateway.decide(await transactionOf(feira, id), 'paid');
    expect((await read(id)).estimatedDelivery).toBe(after(2));
    await forward(4 * DAY);
    await store.post('/shipments', { orderId: id });
    expect((await read(id)).estimatedDelivery).toBe(after(2));
  });

  test('is counted from the current date in the time zone of the store, not in UTC', async () => {
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      await inTimeZone(feira, store, zone);
      expect((await read(await place())).estimatedDelivery).toBe(after(2, zone));
    }
  });
});

describe('an order with digital products', () => {
  test('has no service, freight, estimate or label if all its products are digital', async () => {
    const ebook = await newProduct(store, { price: 20, quantity: 5, typeId: 1 });
    const id = await place({}, ebook);
    const digital = { shippingService: null, estimatedDelivery: null, shippingCost: 0, total: 20 };
    expect(await read(id)).toMatchObject(digital);
    const label = await store.post('/shipments', { orderId: id });
    expect([label.status, label.body.code]).toEqual([409, 'nothing_to_ship']);
    expect(await read(id)).toMatchObject({ ...digital, codeShipping: null, statusShipping: 'pending' });
  });

  test('gets no label if all its products are digital, even if it was placed before delivery services were recorded', async () => {
    const ebook = await newProduct(store, { price: 20, quantity: 5, typeId: 1 });
    const id = await place({}, ebook);
    await feira.context.db
      .store('test')
      .autocommit.query(sql`update orders set shipping_service = null where id = ${id}`);
    expect((await store.post('/shipments', { orderId: id })).body.code).toBe('nothing_to_ship');
  });

  test('and physical products is charged shipping only for the weight of the physical ones', async () => {
    const heavy = await newProduct(store, { price: 20, quantity: 5, typeId: 1, weight: 100 });
    const id = await order(feira, store.workspaceId, line(), { lines: [line(), line(heavy)] });
    expect((await read(id)).shippingCost).toBe(17);
    expect((await store.post('/shipments', { orderId: id })).body.cost).toBe(17);
  });
});

describe('an empty carrier', () => {
  test('in a label request is replaced by the default carrier', async () => {
    for (const carrier of ['', '  ']) {
      const label = await store.post('/shipments', { orderId: await place(), carrier });
      expect(label.body.carrier).toBe('Sandbox Express');
    }
  });

  test('in a change of the shipping status is stored as null', async () => {
    const change = { statusShipping: 'sent', codeShipping: 'AA1', carrier: '' };
    const { body } = await store.patch(`/orders/${await place()}/shipping-status`, change);
    expect(body.carrier).toBeNull();
  });
});
