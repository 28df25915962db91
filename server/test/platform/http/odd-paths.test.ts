import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectErrorShape, expectRejected } from '../../support/expect-rejected.js';
import { type Answer, type Feira, openFeira, type StoreClient } from '../../support/feira.js';

let feira: Feira;
let store: StoreClient;
let port: number;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  await feira.app.listen({ port: 0, host: '127.0.0.1' });
  port = (feira.app.server.address() as AddressInfo).port;
});
afterAll(() => feira.close());

/** Sends the path unchanged. inject and fetch first parse it as a URL, which resolves dots and escapes characters. */
async function send(
  method: string,
  path: string,
  { body, token }: { body?: unknown; token?: string | undefined } = {},
): Promise<Answer> {
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    request(
      { port, host: '127.0.0.1', method, path: `/api/v1${path}`, headers, agent: false },
      async (response) => {
        const { statusCode = 0, headers: answered } = response;
        resolve({ status: statusCode, headers: answered, body: JSON.parse(await text(response)) });
      },
    )
      .on('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });
}

describe('the path of the stock of a variation', () => {
  const SKUS = [
    'plain',
    'a/b',
    '/',
    '//',
    'stock',
    'a%b',
    '%',
    '%2F',
    '%zz',
    '%2e%2e',
    '100%25',
    'a?b=c',
    '?',
    'a#b',
    '#',
    'a+b',
    '+',
    'a b',
    ' ',
    'a;b',
    'a&b=c',
    'é',
    'e\u0301',
    '👕',
    '\t\n',
    '"\'\\<>',
    '.',
    '..',
    '...',
    '../..',
    'x'.repeat(100),
    '👕'.repeat(100),
    '%'.repeat(100),
    ':sku',
    '*',
    '__proto__',
    'null',
  ];
  let id: string;

  beforeAll(async () => {
    id = (await store.post('/products', { name: 'Odd SKUs', price: 1 })).body.id;
    const options = SKUS.map((_, i) => `option ${i}`);
    const { status } = await store.put(`/products/${id}/variants`, {
      types: [{ name: 'SKU', options }],
      combinations: SKUS.map((sku, i) => ({ options: [options[i]], sku })),
    });
    expect(status).toBe(200);
  });

  test.each(SKUS.map((sku, i) => [sku, i + 1] as const))('accepts the SKU %j', async (sku, quantity) => {
    const path = `/products/${id}/variants/${encodeURIComponent(sku)}/stock`;
    const written = await send('PATCH', path, { body: { quantity }, token: store.token });
    expect(written.body).toMatchObject({ sku, quantity });
    expect(written.status).toBe(200);
    const { data } = (await store.get(`/products/${id}/variants`)).body;
    expect(data.find((variation: { sku: string }) => variation.sku === sku).quantity).toBe(quantity);
    expect((await feira.events(store.workspaceId)).map(({ data }) => data)).toContainEqual({
      id,
      sku,
      quantity,
    });
  });

  test.each(['%2E%2E', '%2e.', '.%2e'])('accepts the SKU ".." as %s', async (encoded) => {
    const path = `/products/${id}/variants/${encoded}/stock`;
    const written = await send('PATCH', path, { body: { quantity: 9 }, token: store.token });
    expect(written.body).toMatchObject({ sku: '..', quantity: 9 });
  });

  test('returns 404 if no variation has the SKU', async () => {
    for (const sku of ['absent', 'PLAIN', '%00', 'a%00b', 'x'.repeat(101), 'x'.repeat(9000)]) {
      const path = `/products/${id}/variants/${sku}/stock`;
      const answer = await send('PATCH', path, { body: { quantity: 1 }, token: store.token });
      expectRejected(answer, 404);
      expect(answer.body.error).toMatch(/^A variation with the sku /);
    }
  });
});

describe('a path with a broken percent-encoding', () => {
  const BROKEN = [
    '/products/%zz',
    '/products/%',
    '/products/%f',
    '/products/%ff',
    '/%zz',
    '/products/%ED%A0%80',
    '/%C0%80?x=1',
  ];

  test.each(BROKEN)('%s returns 401 without a valid token, like any other path', async (path) => {
    const answer = await send('GET', path);
    expectRejected(answer, 401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="feira"');
    expectRejected(await send('GET', path, { token: 'nonsense' }), 401);
  });

  test.each(BROKEN)('%s returns 400 with a token, whatever the method', async (path) => {
    for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])
      expectRejected(await send(method, path, { token: store.token }), 400);
  });

  test('counts against the rate limit, and returns 429 beyond it', async () => {
    const poor = await feira.store({ perMinute: 3 });
    const token = poor.token;
    const remaining = async () => {
      const answer = await send('GET', '/products/%zz', { token });
      return [answer.status, answer.headers['x-ratelimit-limit'], answer.headers['x-ratelimit-remaining']];
    };
    expect(await remaining()).toEqual([400, '3', '2']);
    expect(await remaining()).toEqual([400, '3', '1']);
    expect((await poor.get('/me')).headers['x-ratelimit-remaining']).toBe('0');
    const refused = await send('GET', '/products/%zz', { token });
    expectRejected(refused, 429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });
});

test('a path with a broken percent-encoding leaves one log line with its request id and caller', async () => {
  const lines: Record<string, unknown>[] = [];
  const logged = await openFeira({ logTo: { write: (line) => void lines.push(JSON.parse(line)) } });
  try {
    const { workspaceId, token } = await logged.store();
    lines.length = 0;
    const { headers } = await logged.app.inject({
      url: '/api/v1/products/%zz',
      headers: { authorization: `Bearer ${token}` },
    });
    const requestId = headers['x-request-id'];
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ requestId, workspaceId, status: 400, path: '/api/v1/products/%zz' });
  } finally {
    await logged.close();
  }
});

test('a NUL in the query is rejected with 400', async () => {
  for (const query of [
    'search=%00',
    'sku=a%00',
    'ean=%00',
    'sort=%00',
    'sort=name%00',
    'cursor=%00',
    'page=1%00',
  ])
    expectRejected(await send('GET', `/products?${query}`, { token: store.token }), 400);
});

test('an invalid escape in the query is rejected with 400', async () => {
  for (const query of ['%zz', 'search=%zz', 'search=100%', 'unknown=%', 'search=%ff', 'search=%ed%a0%80'])
    expectRejected(await send('GET', `/products?${query}`, { token: store.token }), 400);
});

test('a query that is empty, unusual or very long returns 200 or 400', async () => {
  for (const query of ['', '&&&', `search=${'%F0%9F%91%95'.repeat(255)}`])
    expect((await send('GET', `/products?${query}`, { token: store.token })).status).toBe(200);
  for (const query of ['=x', '%00=1'])
    expectRejected(await send('GET', `/products?${query}`, { token: store.token }), 400);
  expectRejected(await send('GET', `/products?search=${'x'.repeat(256)}`, { token: store.token }), 400);
});

test('the parameter prune must be true or false, and is checked before the body', async () => {
  const { body } = await store.post('/products', { name: 'Pruned', price: 1 });
  const path = `/products/${body.id}/variants`;
  for (const value of ['', '1', 'yes', 'TRUE', 'null', 'true&prune=true'])
    expectRejected(
      await send('PUT', `${path}?prune=${value}`, { body: { types: 7 }, token: store.token }),
      400,
    );
  for (const value of ['true', 'false']) {
    const empty = { types: [], combinations: [] };
    expect((await send('PUT', `${path}?prune=${value}`, { body: empty, token: store.token })).status).toBe(
      200,
    );
  }
});

test('an id in an invalid format is not found, whatever its length', async () => {
  for (const id of ['x'.repeat(5_000), '%F0%9F%91%95'.repeat(1_000), '-', '%20', '%2F', '..%2F..'])
    for (const path of [`/products/${id}`, `/products/${id}/variants`]) {
      const answer = await send('GET', path, { token: store.token });
      expect([id.slice(0, 20), answer.status]).toEqual([id.slice(0, 20), 404]);
      expectErrorShape(answer);
    }
});
