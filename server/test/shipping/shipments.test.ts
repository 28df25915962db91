import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkDigit } from '../../src/shipping/codes.js';
import { scan } from '../../src/shipping/shipments.js';
import { newProduct, observe } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { transactionOf } from '../support/orders.js';
import { BUYER, order } from '../support/shop.js';

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
  productId = await newProduct(store, { quantity: 1_000, weight: 2 });
});

const place = (options: Parameters<typeof order>[3] = {}) =>
  order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 }, options);
const carrierScans = (code: string, status?: Parameters<typeof scan>[3]) =>
  feira.context.db.store('test').transaction((tx) => scan(tx, store.workspaceId, code, status));
const fetchLabel = (url: string) => feira.app.inject(url.replace('http://feira.test', ''));

describe('a label', () => {
  test('gives the order a code and the status preparing, and emits order.shipped', async () => {
    const id = await place();
    const made = await observe(feira, store, () => store.post('/shipments', { orderId: id }));
    expect([made.status, made.body]).toEqual([
      201,
      {
        code: expect.stringMatching(/^SX\d{9}BR$/),
        orderId: id,
        carrier: 'Sandbox Express',
        labelUrl: expect.stringContaining('/labels/'),
        cost: 17,
        createdAt: expect.any(String),
      },
    ]);
    const { code } = made.body;
    expect(Number(code.charAt(10))).toBe(checkDigit(code.slice(2, 10)));
    const data = { orderId: id, statusShipping: 'preparing', codeShipping: code };
    expect(made.events).toEqual([{ event: 'order.shipped', data }]);
    expect((await store.get(`/orders/${id}`)).body).toMatchObject({
      statusShipping: 'preparing',
      codeShipping: code,
      carrier: 'Sandbox Express',
    });
    const tracking = (await store.get(`/shipments/${code}/tracking`)).body;
    expect(tracking).toMatchObject({ statusShipping: 'preparing', events: [] });
    expect(tracking.estimatedDelivery).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  test('has a code with the check digit of the postal standard UPU S10', () => {
    // 47312482 is the example in the standard. The other two cover the special cases: a weighted sum whose remainder
    // modulo 11 is 0 or 1.
    expect(checkDigit('47312482')).toBe(9);
    expect([checkDigit('00000000'), checkDigit('00060000')]).toEqual([5, 0]);
  });

  test('requires payment: unpaid, refunded and canceled orders get none, a partly refunded order gets one', async () => {
    const unpaid = await place({ pay: false });
    const refunded = await place();
    await store.post(`/orders/${refunded}/refund`, undefined);
    const canceled = await place({ pay: false });
    await feira.context.gateway.decide(await transactionOf(feira, canceled), 'canceled');
    for (const orderId of [unpaid, refunded, canceled]) {
      const { status, body } = await store.post('/shipments', { orderId });
      expect([status, body.code]).toEqual([409, 'not_paid']);
    }
    const partial = await place();
    await feira.context.gateway.refundAsMerchant(await transactionOf(feira, partial), 1);
    expect((await store.post('/shipments', { orderId: partial })).status).toBe(201);
  });

  test('is created once, however many requests arrive at the same time, and not at all if the order was already sent', async () => {
    const orderId = await place();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => store.post('/shipments', { orderId })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    expect(answers.find(({ status }) => status === 409)!.body.code).toBe('shipment_exists');
    const sent = await place();
    await store.patch(`/orders/${sent}/shipping-status`, { statusShipping: 'sent', codeShipping: 'AA1' });
    expect((await store.post('/shipments', { orderId: sent })).status).toBe(409);
  });

  test('is returned again for the same Idempotency-Key', async () => {
    const orderId = await place();
    const key = { 'idempotency-key': 'label' };
    const first = await store.post('/shipments', { orderId }, key);
    const second = await store.post('/shipments', { orderId }, key);
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });

  test('is refused with 404 for an unknown order or another store’s order, 422 without an orderId, and 403 without the scope', async () => {
    const orderId = await place();
    const other = await feira.store();
    expect((await other.post('/shipments', { orderId })).status).toBe(404);
    expect((await store.post('/shipments', { orderId: 'x' })).status).toBe(404);
    expect((await store.post('/shipments', {})).status).toBe(422);
    const reader = await store.withScopes(['shipping:read', 'orders:write']);
    expect((await reader.post('/shipments', { orderId })).status).toBe(403);
  });

  test('is a PDF at a signed URL that expires', async () => {
    const { labelUrl } = (await store.post('/shipments', { orderId: await place() })).body;
    const label = await fetchLabel(labelUrl);
    expect([label.statusCode, label.headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(label.headers['cache-control']).toBe('private, no-store');
    expect(label.rawPayload.toString('latin1')).toMatch(/^%PDF-1\.4[\s\S]*Bia Souza[\s\S]*%%EOF\n$/);

    const url = new URL(labelUrl);
    const forged = (change: (url: URL) => void) => {
      const copy = new URL(url);
      change(copy);
      return copy.href;
    };
    expect(url.pathname).toContain(store.workspaceId);
    const other = await feira.store();
    const later = String(Number(url.searchParams.get('expires')) + 1);
    for (const each of [
      forged((u) => u.searchParams.set('expires', later)),
      forged((u) => u.searchParams.set('signature', '0'.repeat(64))),
      forged((u) => u.searchParams.set('signature', '')),
      forged((u) => u.searchParams.delete('expires')),
      forged((u) => {
        u.pathname = u.pathname.replace('SX', 'SY');
      }),
      forged((u) => {
        u.pathname = u.pathname.replace(store.workspaceId, other.workspaceId);
      }),
    ]) {
      const { statusCode, body } = await fetchLabel(each);
      expect([statusCode, JSON.parse(body).code]).toEqual([403, 'link_refused']);
    }
    feira.clock.forward(7 * 24 * 3_600_000 + 1_000);
    expect((await fetchLabel(labelUrl)).statusCode).toBe(403);
  });
});

describe('tracking', () => {
  test('lists the carrier’s scans with their places, newest first, and each scan updates the order', async () => {
    const address = { ...BUYER.address, city: 'Feira de Santana', state: 'BA', zipCode: '44001000' };
    const id = await place({ buyer: { address } });
    const { code } = (await store.post('/shipments', { orderId: id })).body;
    const scanned = await observe(feira, store, async () => {
      for (let step = 0; step < 3; step++) await carrierScans(code);
      return store.get(`/shipments/${code}/tracking`);
    });
    expect(scanned.body).toMatchObject({ code, orderId: id, statusShipping: 'delivered' });
    const reported = scanned.body.events as { status: string; location: string | null; occurredAt: string }[];
    expect(reported.map(({ status, location }) => [status, location])).toEqual([
      ['delivered', 'Feira de Santana/BA'],
      ['in_transit', 'Salvador/BA'],
      ['sent', 'São Paulo/SP'],
    ]);
    const times = reported.map(({ occurredAt }) => occurredAt);
    expect(times).toEqual([...times].sort().reverse());
    expect(scanned.events.map(({ data }) => data)).toEqual(
      ['sent', 'in_transit', 'delivered'].map((statusShipping) => ({
        orderId: id,
        statusShipping,
        codeShipping: code,
      })),
    );
    expect((await store.get(`/orders/${id}`)).body).toMatchObject({
      statusShipping: 'delivered',
      shippedAt: expect.any(String),
      deliveredAt: expect.any(String),
    });
    await expect(carrierScans(code)).rejects.toThrow('has no next status');
    await expect(carrierScans(code, 'sent')).rejects.toThrow('cannot change to sent');
  });

  test('of a manually entered code works like that of a label', async () => {
    const id = await place();
    await store.patch(`/orders/${id}/shipping-status`, {
      statusShipping: 'sent',
      codeShipping: 'TYPED 1/2',
      carrier: 'Correios',
      trackingUrl: 'https://rastro.example/1',
    });
    expect((await store.get('/shipments/TYPED%201%2F2/tracking')).body).toEqual({
      code: 'TYPED 1/2',
      orderId: id,
      carrier: 'Correios',
      statusShipping: 'sent',
      trackingUrl: 'https://rastro.example/1',
      estimatedDelivery: null,
      events: [{ status: 'sent', description: 'Posted', location: null, occurredAt: expect.any(String) }],
    });
    await carrierScans('TYPED 1/2');
    expect((await store.get(`/orders/${id}`)).body.statusShipping).toBe('in_transit');
  });

  test('of a code that was entered after the parcel had left begins at the time it left', async () => {
    const id = await place();
    const sent = (await store.patch(`/orders/${id}/shipping-status`, { statusShipping: 'sent' })).body;
    await store.patch(`/orders/${id}/shipping-status`, {
      statusShipping: 'in_transit',
      codeShipping: 'LATE',
    });
    const { events } = (await store.get('/shipments/LATE/tracking')).body;
    expect(events).toMatchObject([{ status: 'in_transit' }, { status: 'sent', occurredAt: sent.shippedAt }]);
  });

  test('of a code that two orders share returns each scan once', async () => {
    const [one, two] = [await place(), await place()];
    const change = { statusShipping: 'sent', codeShipping: 'SHARED' };
    await store.patch(`/orders/${one}/shipping-status`, change);
    expect((await store.patch(`/orders/${two}/shipping-status`, change)).status).toBe(200);
    const { orderId, events } = (await store.get('/shipments/SHARED/tracking')).body;
    expect([orderId, events.length]).toEqual([one, 1]);
  });

  test('returns 404 for an unknown code or another store’s code, and 403 without the scope', async () => {
    const id = await place();
    const { code } = (await store.post('/shipments', { orderId: id })).body;
    const other = await feira.store();
    expect((await other.get(`/shipments/${code}/tracking`)).status).toBe(404);
    expect((await store.get('/shipments/NOTHING/tracking')).status).toBe(404);
    expect((await store.get('/shipments/%00/tracking')).status).toBe(404);
    const writer = await store.withScopes(['shipping:write']);
    expect((await writer.get(`/shipments/${code}/tracking`)).status).toBe(403);
  });
});
