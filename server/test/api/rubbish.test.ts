import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiRoute } from '../../src/app.js';
import { expectErrorShape } from '../support/expect-refusal.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { rubbishBody, rubbishHeaders, rubbishParameter, rubbishQuery } from '../support/rubbish.js';

// Fixed, so that a run that fails fails again; fast-check prints it with the smallest call it found.
const SEED = 20_261_115;
const RUNS_IN_ALL = 4_000;

// Good bodies, from which the bad ones are made. A route with a body but without a sample fails the first test.
const SAMPLES: Record<string, unknown> = {
  'POST /products': {
    name: 'Rubbish',
    price: 79.9,
    priceDiscount: 59.9,
    description: 'Text',
    quantity: 5,
    weight: 0.25,
    typeId: 2,
    categoryId: 23,
    urlImage: 'https://cdn.example/a.png',
    sku: 'R-1',
    ean: '7891234567895',
  },
  'PATCH /products/:id': {
    name: 'Renamed',
    price: 1,
    priceDiscount: null,
    weight: 1.5,
    sku: 'R-2',
    ean: null,
  },
  'PATCH /products/:id/stock': { quantity: 1 },
  'PATCH /stock': {
    entries: [
      { sku: 'S-1', quantity: 1 },
      { sku: 'S-1', delta: -1, ifQuantity: 1 },
    ],
  },
  'PATCH /products/:id/variants': {
    variants: [{ sku: 'S-1', setSku: 'S-2', setEan: '1', price: 1, quantity: 1 }],
  },
  'PUT /products/:id/variants': {
    types: [
      { name: 'Size', options: ['S', 'M'] },
      { name: 'Colour', options: ['Blue'] },
    ],
    combinations: [
      { combination: 'S - Blue', sku: 'S-1', ean: '1', price: 79.9, quantity: 5 },
      { options: ['M', 'Blue'], sku: null },
    ],
  },
  'PATCH /products/:id/variants/:sku/stock': { quantity: 1 },
  'POST /webhooks': { url: 'https://127.0.0.1:9/hook', events: ['stock.updated', 'order.paid'] },
  'POST /orders/:id/refund': { reason: 'broken', restock: true },
  'PATCH /orders/:id/shipping-status': {
    statusShipping: 'sent',
    codeShipping: 'AA123456785BR',
    carrier: 'Correios',
    trackingUrl: 'https://x.example/',
  },
  'POST /shipments': { orderId: 'o', carrier: 'Correios' },
  'POST /uploads': { productId: 'p', contentType: 'image/png', contentLength: 100 },
  'POST /products/:id/images': { key: 'product_images/p/a.png', order: 0 },
  'PATCH /products/:id/images/:imageId': { order: 0 },
};

let feira: Feira;
let store: StoreClient;
let products = 0;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
});
afterAll(() => feira.close());

const keyOf = ({ method, url }: ApiRoute) => `${method} ${url.replace('/api/v1', '')}`;

/** A product with a variation S-1, so that almost right calls have something to hit. */
async function variedProduct(): Promise<string> {
  const { body } = await store.post('/products', { name: `Target ${++products}`, price: 1 });
  await store.put(`/products/${body.id}/variants`, SAMPLES['PUT /products/:id/variants']);
  return body.id;
}

interface Call {
  method: string;
  url: string;
  headers: Record<string, string | undefined>;
  payload: string | Buffer | undefined;
}

function rubbishFor(route: ApiRoute, id: string): fc.Arbitrary<Call> {
  const body = route.body === 'none' ? fc.constant(undefined) : rubbishBody(SAMPLES[keyOf(route)]);
  return fc
    .record({
      id: rubbishParameter(id),
      other: rubbishParameter('S-1'),
      query: rubbishQuery,
      headers: rubbishHeaders,
      payload: body,
    })
    .map(({ id, other, query, headers, payload }) => ({
      method: route.method,
      url: route.url.replace(/:(\w+)/g, (_, name) => (name === 'id' ? id : other)) + query,
      headers,
      payload,
    }));
}

async function send({ method, url, headers, payload }: Call): Promise<number> {
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
  const response = await feira.app.inject({
    method: method as 'GET',
    url,
    headers: {
      authorization: `Bearer ${store.token}`,
      ...(Object.fromEntries(sent) as Record<string, string>),
    },
    ...(payload !== undefined && { payload }),
  });
  const status = response.statusCode;
  expect(status).toBeLessThan(500);
  if (status >= 400 && method !== 'HEAD')
    expectErrorShape({ status, headers: response.headers, body: JSON.parse(response.body) });
  else if (status !== 304 && method !== 'HEAD') expect(JSON.parse(response.body)).toEqual(expect.any(Object));
  // Or else the name of the sample is taken, and every further call ends at that.
  if (status === 201) await store.delete(`/products/${JSON.parse(response.body).id}`);
  return status;
}

test('every route that takes a body has a sample here', () => {
  const keys = feira.app.apiRoutes.filter(({ body }) => body !== 'none').map(keyOf);
  expect(keys.sort()).toEqual(Object.keys(SAMPLES).sort());
});

test('no rubbish on any route is answered 5xx, and every refusal has the error shape', {
  timeout: 60_000,
}, async () => {
  const routes = feira.app.apiRoutes;
  const numRuns = Math.ceil(RUNS_IN_ALL / routes.length);
  const seen = new Map<number, number>();
  for (const route of routes) {
    const calls = rubbishFor(route, await variedProduct());
    const property = fc.asyncProperty(calls, async (call) => {
      const status = await send(call);
      seen.set(status, (seen.get(status) ?? 0) + 1);
    });
    await fc.assert(property, { seed: SEED, numRuns });
  }
  const total = [...seen.values()].reduce((sum, count) => sum + count, 0);
  expect(total).toBeGreaterThanOrEqual(RUNS_IN_ALL);
  // Rubbish that only ever meets the first check would prove nothing.
  for (const status of [200, 201, 400, 404, 422]) expect(seen.get(status) ?? 0).toBeGreaterThan(10);
});

test('the server is in its right mind afterwards', async () => {
  const { body } = await store.post('/products', { name: 'Afterwards', price: 1, quantity: 2 });
  expect((await store.get(`/products/${body.id}`)).body).toMatchObject({ name: 'Afterwards', quantity: 2 });
  const ready = await feira.app.inject('/readyz');
  expect(ready.statusCode).toBe(200);
});
