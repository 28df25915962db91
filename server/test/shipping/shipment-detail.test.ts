import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { order } from '../support/shop.js';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

let feira: Feira;
let store: StoreClient;
let orderId: string;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
  const productId = await newProduct(store, { quantity: 10 });
  orderId = await order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 });
});

const fetchLabel = (url: string) => feira.app.inject(url.replace('http://feira.test', ''));

test('a shipment is read by its code, with the fields that its creation returned', async () => {
  const made = (await store.post('/shipments', { orderId })).body;
  const { status, body } = await store.get(`/shipments/${made.code}`);
  expect([status, body]).toEqual([200, { ...made, labelUrl: expect.stringContaining('/labels/') }]);
  expect((await fetchLabel(body.labelUrl)).headers['content-type']).toBe('application/pdf');
});

test('a label whose link has expired can be fetched through a new link', async () => {
  const made = (await store.post('/shipments', { orderId })).body;
  feira.clock.forward(WEEK_MS + 1_000);
  expect((await fetchLabel(made.labelUrl)).statusCode).toBe(403);
  store = await store.withScopes(['shipping:read']);
  const { labelUrl } = (await store.get(`/shipments/${made.code}`)).body;
  expect((await fetchLabel(labelUrl)).statusCode).toBe(200);
});

test('an unknown code, another store’s code, and a code without a label return 404', async () => {
  const { code } = (await store.post('/shipments', { orderId })).body;
  const other = await feira.store();
  for (const [client, asked] of [
    [store, 'NONE'],
    [store, '%00'],
    [other, code],
  ] as const)
    expect((await client.get(`/shipments/${asked}`)).status).toBe(404);
  await store.patch(`/orders/${orderId}/shipping-status`, {
    statusShipping: 'sent',
    codeShipping: 'TYPED-IN',
  });
  const typedIn = await store.get('/shipments/TYPED-IN');
  expect([typedIn.status, typedIn.body.code]).toEqual([404, 'not_found']);
});

test('the scope shipping:write alone does not allow reading a shipment', async () => {
  const writer = await store.withScopes(['shipping:write']);
  expect((await writer.get('/shipments/NONE')).status).toBe(403);
});
