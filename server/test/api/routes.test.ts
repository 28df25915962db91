import { METHODS } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../src/oauth/scopes.js';
import { ALL_SCOPES, type Feira, openFeira, type StoreClient } from '../support/feira.js';

// Cases that every route must have, made from the route table: a new route cannot miss them. A route with a body needs
// a sample here, or the first test fails.
const MISSING = '01900000-0000-7000-8000-000000000000';
const BODIES: Record<string, unknown> = {
  'POST /products': { name: 'Sample', price: 1 },
  'PATCH /products/:id': { price: 2 },
  'PATCH /products/:id/stock': { quantity: 1 },
  'PATCH /stock': { entries: [{ sku: 'S-1', quantity: 1 }] },
  'PATCH /products/:id/variants': { variants: [{ sku: 'S-1', quantity: 1 }] },
  'PUT /products/:id/variants': { types: [], combinations: [] },
  'PATCH /products/:id/variants/:sku/stock': { quantity: 1 },
  'POST /webhooks': { url: 'https://erp.example/hook', events: ['stock.updated'] },
  'POST /orders/:id/refund': {},
  'PATCH /orders/:id/shipping-status': { statusShipping: 'sent' },
  'POST /shipments': { orderId: MISSING },
  'POST /uploads': { productId: MISSING, contentType: 'image/png', contentLength: 100 },
  'POST /products/:id/images': { url: 'https://cdn.example/a.png' },
  'PATCH /products/:id/images/:imageId': { order: 0 },
};

let feira: Feira;
let owner: StoreClient;
let stranger: StoreClient;
let productId: string;
let webhookId: string;

beforeAll(async () => {
  feira = await openFeira();
  owner = await feira.store();
  stranger = await feira.store();
  productId = (await owner.post('/products', { name: 'Shirt', price: 10 })).body.id;
  await owner.put(`/products/${productId}/variants`, {
    types: [{ name: 'Size', options: ['S'] }],
    combinations: [{ combination: 'S', sku: 'S-1', quantity: 3 }],
  });
  webhookId = (await owner.post('/webhooks', BODIES['POST /webhooks'])).body.id;
});
afterAll(() => feira.close());

interface Case {
  key: string;
  method: string;
  path: string;
  /** Of the thing the path names. */
  id: string;
  accepted: Scope[];
  body: unknown;
  takes: string;
}

function cases(): Case[] {
  return feira.app.apiRoutes.map(({ method, url, scope, body: takes }) => {
    const template = url.replace('/api/v1', '');
    const key = `${method} ${template}`;
    const id = template.startsWith('/webhooks') ? webhookId : productId;
    const path = template
      .replace(':id', id)
      .replace(':sku', 'S-1')
      .replace(':deliveryId', MISSING)
      .replace(':imageId', MISSING);
    return {
      key,
      method,
      path,
      id,
      accepted: scope === 'any' ? [] : ([scope].flat() as Scope[]),
      body: BODIES[key],
      takes,
    };
  });
}

test('every route that takes a body has a sample here', () => {
  const missing = cases().filter(({ key, takes }) => takes !== 'none' && !(key in BODIES));
  expect(missing.map(({ key }) => key)).toEqual([]);
  expect(cases().length).toBeGreaterThan(10);
});

describe('each route of the table', () => {
  test('refuses a call without a token with 401 and the bare challenge', async () => {
    for (const { key, method, path } of cases()) {
      const response = await feira.app.inject({ method: method as 'GET', url: `/api/v1${path}` });
      expect([key, response.statusCode]).toEqual([key, 401]);
      expect(response.headers['www-authenticate']).toBe('Bearer realm="feira"');
    }
  });

  test('refuses a token with every scope but its own with 403, and the refusal spends budget', async () => {
    for (const { key, method, path, accepted, body } of cases().filter((each) => each.accepted.length > 0)) {
      const others = await owner.withScopes(ALL_SCOPES.filter((scope) => !accepted.includes(scope)));
      const first = await others.call(method, path, body);
      expect([key, first.status]).toEqual([key, 403]);
      expect(first.headers['www-authenticate']).toContain('error="insufficient_scope"');
      const second = await others.call(method, path, body);
      expect(Number(second.headers['x-ratelimit-remaining'])).toBe(
        Number(first.headers['x-ratelimit-remaining']) - 1,
      );
    }
  });

  test("answers for another store's thing exactly as for one that does not exist", async () => {
    for (const { key, method, path, id, body } of cases().filter((each) => each.path.includes(each.id))) {
      const foreign = await stranger.call(method, path, body);
      const absent = await stranger.call(method, path.replace(id, MISSING), body);
      expect([key, foreign.status, absent.status]).toEqual([key, 404, 404]);
      if (method === 'HEAD') continue;
      expect({ ...foreign.body, requestId: '' }).toEqual({
        ...absent.body,
        error: absent.body.error.replace(MISSING, id),
        requestId: '',
      });
    }
    const untouched = (await owner.get(`/products/${productId}`)).body;
    expect(untouched.quantity).toBe(3);
  });

  test('is not found for an id that is not of our format', async () => {
    for (const { key, method, path, id, body } of cases().filter((each) => each.path.includes(each.id))) {
      for (const odd of ['1', 'null', '%00', id.toUpperCase(), `${id}x`]) {
        const answer = await owner.call(method, path.replace(id, odd), body);
        expect([key, odd, answer.status]).toEqual([key, odd, 404]);
      }
    }
  });
});

test('a route without a scope stops the boot', async () => {
  const { guard } = await import('../../src/oauth/guard.js');
  const { default: Fastify } = await import('fastify');
  const app = Fastify();
  guard(app, feira.context.credentials, feira.context.budgets);
  expect(() => app.get('/open', () => 'hello')).toThrow('declares no scope');
});

test('an unknown path needs a token, spends budget, and is then a 404', async () => {
  expect((await feira.app.inject('/api/v1/nothing')).statusCode).toBe(401);
  const first = await owner.get('/nothing');
  expect(first.status).toBe(404);
  expect(first.body.code).toBe('not_found');
  const second = await owner.get('/nothing/else?x=1');
  expect(second.status).toBe(404);
  expect(Number(second.headers['x-ratelimit-remaining'])).toBe(
    Number(first.headers['x-ratelimit-remaining']) - 1,
  );
});

test('a known path with another method is 405 with Allow, and needs a token as well', async () => {
  expect((await feira.app.inject({ method: 'DELETE', url: '/api/v1/products' })).statusCode).toBe(401);
  const answer = await owner.delete('/products');
  expect(answer.status).toBe(405);
  expect(answer.headers.allow).toBe('GET, HEAD, POST');
  expect(answer.body.code).toBe('method_not_allowed');
});

test('any method that HTTP knows is 405 with Allow on a known path, and 404 on an unknown one', async () => {
  const allowed = ['GET', 'HEAD', 'PATCH', 'DELETE'];
  // CONNECT is for proxies: it names no path.
  const others = METHODS.filter((method) => ![...allowed, 'CONNECT'].includes(method));
  expect(others.length).toBeGreaterThan(25);
  for (const method of others) {
    const refused = await owner.call(method, `/products/${MISSING}`);
    expect([method, refused.status, refused.headers.allow]).toEqual([method, 405, allowed.join(', ')]);
    expect(refused.body.code).toBe('method_not_allowed');
    expect([method, (await owner.call(method, '/nothing')).status]).toEqual([method, 404]);
  }
});

test('a path with an empty id is an unknown path, whatever the method', async () => {
  const paths = [
    '/products/',
    '/products//stock',
    `/products/${productId}/variants//stock`,
    '/products//variants/S-1/stock',
    `/products/${productId}/images/`,
    '/orders/',
    `/webhooks/${webhookId}/deliveries//redeliver`,
  ];
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'PROPFIND']) {
      const { status, body } = await owner.call(method, path);
      expect([method, status, body.error]).toEqual([
        method,
        404,
        `There is nothing at /api/v1${path}; /docs lists what there is`,
      ]);
    }
  }
});
