import { METHODS } from 'node:http';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Scope } from '../src/oauth/scopes.js';
import { ALL_SCOPES, type Feira, type StoreClient } from './support/feira.js';
import { type PopulatedStore, parametersOf, pathOf, populate } from './support/populated-store.js';
import { keyOf, sampleBodies } from './support/sample-bodies.js';
import { sharedFeira } from './support/shared-feira.js';

// Tests every API route, so that a new route is always covered. A route with a body needs a sample in sample-bodies.ts;
// otherwise the first test fails.
const MISSING = '01900000-0000-7000-8000-000000000000';
const MISSING_CODE = 'AA999999999BR';
let feira: Feira;
let populated: PopulatedStore;
let owner: StoreClient;
let stranger: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  populated = await populate(feira);
  owner = populated.store;
  stranger = await feira.store();
});

interface Case {
  key: string;
  method: string;
  path: string;
  /** The first id in the path, or undefined if there is none. `pathWith` returns the path with another first id. */
  id: string | undefined;
  pathWith(id: string): string;
  accepted: Scope[];
  body: unknown;
  takes: string;
}

function cases(): Case[] {
  const bodies = sampleBodies(populated);
  return feira.app.apiRoutes.map(({ method, url, scope, body: takes }) => {
    const key = keyOf({ method, url });
    const template = url.replace('/api/v1', '');
    return {
      key,
      method,
      path: pathOf(template, populated),
      id: parametersOf(template, populated)[0]?.value,
      pathWith: (id) => pathOf(template, populated, id),
      accepted: scope === 'any' ? [] : ([scope].flat() as Scope[]),
      body: bodies[key],
      takes,
    };
  });
}

test('every route that accepts a body has a sample', () => {
  const taking = cases().filter(({ takes }) => takes !== 'none');
  expect(taking.map(({ key }) => key).sort()).toEqual(Object.keys(sampleBodies(populated)).sort());
  expect(taking.length).toBeGreaterThan(10);
});

describe('each API route', () => {
  test('returns 401 and a challenge without an error code if no token is sent', async () => {
    for (const { key, method, path } of cases()) {
      const response = await feira.app.inject({ method: method as 'GET', url: `/api/v1${path}` });
      expect([key, response.statusCode]).toEqual([key, 401]);
      expect(response.headers['www-authenticate']).toBe('Bearer realm="feira"');
    }
  });

  test('returns 403 if the token lacks the required scope, and the call counts against the rate limit', async () => {
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

  test('returns the same response for a record of another store as for one that does not exist', async () => {
    const named = cases().filter(({ id }) => id !== undefined);
    const kinds = new Set(named.map(({ id }) => id));
    const { product, order, shipment, webhook } = populated.ids;
    expect([...kinds].sort()).toEqual([product, order, shipment, webhook].sort());
    const before = await everythingOwned();
    for (const { key, method, path, id, pathWith, body } of named) {
      const absentId = id === populated.ids.shipment ? MISSING_CODE : MISSING;
      const foreign = await stranger.call(method, path, body);
      const absent = await stranger.call(method, pathWith(absentId), body);
      expect([key, foreign.status, absent.status]).toEqual([key, 404, 404]);
      if (method === 'HEAD') continue;
      expect({ ...foreign.body, requestId: '' }).toEqual({
        ...absent.body,
        error: absent.body.error.replaceAll(absentId, id!),
        requestId: '',
      });
    }
    expect(await everythingOwned()).toEqual(before);
  });

  test('returns 404 for an id in an invalid format', async () => {
    for (const { key, method, id, pathWith, body } of cases().filter((each) => each.id !== undefined)) {
      // Shipment codes are not case-sensitive.
      const upperCase = id === populated.ids.shipment ? [] : [id!.toUpperCase()];
      for (const odd of ['1', 'null', '%00', ...upperCase, `${id}x`]) {
        const answer = await owner.call(method, pathWith(odd), body);
        expect([key, odd, answer.status]).toEqual([key, odd, 404]);
      }
    }
  });
});

/** Reads, as the owner, the records that the other store tries to change. */
async function everythingOwned(): Promise<unknown[]> {
  const { product, order, shipment, webhook } = populated.ids;
  const paths = [
    `/products/${product}`,
    `/products/${product}/variants`,
    `/products/${product}/images`,
    `/orders/${order}`,
    `/shipments/${shipment}/tracking`,
    '/webhooks',
    `/webhooks/${webhook}/deliveries`,
  ];
  const answers = await Promise.all(paths.map((path) => owner.get(path)));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  return answers.map(({ body }) => body);
}

test('an API route that declares no scope cannot be registered', async () => {
  const { guard } = await import('../src/oauth/guard.js');
  const { default: Fastify } = await import('fastify');
  const app = Fastify();
  guard(app, feira.context);
  expect(() => app.get('/open', () => 'hello')).toThrow('declares no scope');
});

test('an unknown path requires a token, counts against the rate limit, and returns 404', async () => {
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

test('an unsupported method on a known path requires a token and returns 405 with Allow', async () => {
  expect((await feira.app.inject({ method: 'DELETE', url: '/api/v1/products' })).statusCode).toBe(401);
  const answer = await owner.delete('/products');
  expect(answer.status).toBe(405);
  expect(answer.headers.allow).toBe('GET, HEAD, POST');
  expect(answer.body.code).toBe('method_not_allowed');
});

test('every unsupported HTTP method returns 405 with Allow on a known path, and 404 on an unknown one', async () => {
  const allowed = ['GET', 'HEAD', 'PATCH', 'DELETE'];
  // CONNECT is left out because it is for proxies and has no path.
  const others = METHODS.filter((method) => ![...allowed, 'CONNECT'].includes(method));
  expect(others.length).toBeGreaterThan(25);
  for (const method of others) {
    const refused = await owner.call(method, `/products/${MISSING}`);
    expect([method, refused.status, refused.headers.allow]).toEqual([method, 405, allowed.join(', ')]);
    expect(refused.body.code).toBe('method_not_allowed');
    expect([method, (await owner.call(method, '/nothing')).status]).toEqual([method, 404]);
  }
});

test('a write wakes the workers, and a GET or HEAD request does not', async () => {
  const poke = vi.spyOn(feira.context.wake, 'poke');
  for (const method of ['GET', 'HEAD']) expect((await owner.call(method, '/products')).status).toBe(200);
  expect((await owner.post('/products', { name: 'Wakes', price: 1 })).status).toBe(201);
  await vi.waitFor(() => expect(poke).toHaveBeenCalled());
  expect(poke).toHaveBeenCalledTimes(1);
  poke.mockRestore();
});

test('a path with an empty id is an unknown path, whatever the method', async () => {
  const paths = [
    '/products/',
    '/products//stock',
    `/products/${populated.ids.product}/variants//stock`,
    '/products//variants/S-1/stock',
    `/products/${populated.ids.product}/images/`,
    '/orders/',
    `/webhooks/${populated.ids.webhook}/deliveries//redeliver`,
  ];
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'PROPFIND']) {
      const { status, body } = await owner.call(method, path);
      expect([method, status, body.error]).toEqual([method, 404, `Unknown path /api/v1${path}. See /docs.`]);
    }
  }
});
