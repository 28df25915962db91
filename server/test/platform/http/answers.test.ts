import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Feira, openFeira, type StoreClient } from '../../support/feira.js';
import { sharedFeira } from '../../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;
let product: string;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  const fields = {
    price: 1,
    priceDiscount: 0.5,
    weight: 1.25,
    width: 20,
    height: 0,
    length: 0.001,
    quantity: 3,
  };
  product = (await store.post('/products', { name: 'Shirt', ...fields })).body.id;
});

async function raw(
  path: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'PATCH' | 'HEAD' = 'GET',
) {
  return feira.app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${store.token}`, ...headers },
    ...(method === 'PATCH' && { payload: '{"quantity":3}' }),
  });
}

describe('JSON numbers', () => {
  const numbers = /"price":1,"priceDiscount":0\.5,.*"weight":1\.25,"width":20,"height":0,"length":0\.001,/;

  test('of a product have no trailing zeros when it is read, listed or changed', async () => {
    const json = { 'content-type': 'application/json' };
    for (const response of [
      await raw(`/products/${product}`),
      await raw('/products'),
      await raw(`/products/${product}`, json, 'PATCH'),
      await raw(`/products/${product}/stock`, json, 'PATCH'),
    ]) {
      expect(response.statusCode).toBe(200);
      expect(response.body.replaceAll(/"description":null,|"quantity":3,/g, '')).toMatch(numbers);
    }
  });

  test('of a variation have no trailing zeros', async () => {
    const id = (await store.post('/products', { name: 'Cap', price: 2 })).body.id;
    await store.put(`/products/${id}/variants`, {
      types: [{ name: 'Size', options: ['P'] }],
      combinations: [{ combination: 'P', price: 79.9 }],
    });
    for (const path of [`/products/${id}`, `/products/${id}/variants`])
      expect((await raw(path)).body).toContain('"price":79.9,');
  });
});

describe('headers', () => {
  test('a single resource may be cached but must be revalidated; lists, changes and errors must not be cached', async () => {
    const json = { 'content-type': 'application/json' };
    expect((await raw(`/products/${product}`, json, 'PATCH')).headers['cache-control']).toBe('no-store');
    for (const path of ['/products', '/orders', '/products/none', '/nothing', '/%zz', '/products?x=1'])
      expect([path, (await raw(path)).headers['cache-control']]).toEqual([path, 'no-store']);
    for (const path of [`/products/${product}`, '/me'])
      expect((await raw(path)).headers['cache-control']).toBe('private, no-cache');
    const anonymous = await feira.app.inject('/api/v1/products');
    expect([anonymous.statusCode, anonymous.headers['cache-control']]).toEqual([401, 'no-store']);
  });

  test('responses forbid browsers from guessing another content type', async () => {
    for (const path of ['/products', '/nothing', '/%zz'])
      expect((await raw(path)).headers['x-content-type-options']).toBe('nosniff');
  });

  test('HSTS is sent only if the public address is https', async () => {
    expect((await raw('/me')).headers['strict-transport-security']).toBeUndefined();
    const secure = await openFeira({ on: feira, publicUrl: 'https://feira.test' });
    for (const url of ['/api/v1/me', '/api/v1/%zz', '/sign-in', '/healthz'])
      expect((await secure.app.inject(url)).headers['strict-transport-security']).toMatch(/^max-age=\d+/);
    await secure.close();
  });
});

describe('compression', () => {
  const accept = (value: string) => ({ 'accept-encoding': value });
  beforeAll(async () => {
    await store.post('/products', { name: 'Long', price: 1, description: 'words '.repeat(1_000) });
  });

  test('a large response is compressed for a client that accepts gzip or br', async () => {
    const plain = await raw('/products');
    const gzip = await raw('/products', accept('gzip'));
    expect(gzip.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body);
    expect(Number(gzip.headers['content-length'])).toBe(gzip.rawPayload.length);
    expect(gzip.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
    const br = await raw('/products', accept('gzip;q=0.5, br'));
    expect(br.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(plain.body);
  });

  test.each(['', 'identity', 'gzip;q=0', 'zstd', 'gzip;q=x, br;q=0'])(
    'a client that sends "Accept-Encoding: %s" gets an uncompressed response',
    async (value) => {
      const answer = await raw('/products', accept(value));
      expect(answer.headers['content-encoding']).toBeUndefined();
      expect(answer.headers.vary).toBe('accept-encoding');
      expect(answer.json().data).toHaveLength(3);
    },
  );

  test('a response of 1,025 bytes is compressed, and one of 1,024 bytes is not', async () => {
    const other = await feira.store();
    const { id } = (await other.post('/products', { name: 'Sized', price: 1, description: 'x' })).body;
    const read = (headers: Record<string, string>) =>
      raw(`/products/${id}`, { authorization: `Bearer ${other.token}`, ...headers });
    const shortest = (await read({})).rawPayload.length;
    for (const [bytes, encoding] of [
      [1_024, undefined],
      [1_025, 'gzip'],
    ] as const) {
      await other.patch(`/products/${id}`, { description: 'x'.repeat(1 + bytes - shortest) });
      expect((await read({})).rawPayload).toHaveLength(bytes);
      expect((await read(accept('gzip'))).headers['content-encoding']).toBe(encoding);
    }
  });

  test('a small response is not compressed', async () => {
    const answer = await raw('/me', accept('gzip, br'));
    expect([answer.headers['content-encoding'], answer.json().workspaceId]).toEqual([
      undefined,
      store.workspaceId,
    ]);
  });

  test('the ETag of a resource is the same with and without compression, and leads to a 304', async () => {
    const id = (await raw('/products')).json().data[0].id;
    const plain = await raw(`/products/${id}`);
    const gzip = await raw(`/products/${id}`, accept('gzip'));
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gzip.headers.etag).toBe(plain.headers.etag);
    const again = await raw(`/products/${id}`, {
      ...accept('gzip'),
      'if-none-match': String(gzip.headers.etag),
    });
    expect([again.statusCode, again.body, again.headers['content-encoding']]).toEqual([304, '', undefined]);
  });

  test('HEAD returns 200 without a body to a client that accepts compression', async () => {
    const head = await raw('/products', accept('gzip'), 'HEAD');
    expect([head.statusCode, head.body]).toEqual([200, '']);
  });

  test('a repeated Idempotency-Key returns the same response, uncompressed if the repeat does not accept gzip', async () => {
    const send = (headers: Record<string, string>) =>
      feira.app.inject({
        method: 'POST',
        url: '/api/v1/products',
        headers: {
          authorization: `Bearer ${store.token}`,
          'content-type': 'application/json',
          'idempotency-key': 'compressed',
          ...headers,
        },
        payload: JSON.stringify({ name: 'Keyed', price: 1, description: 'words '.repeat(1_000) }),
      });
    const first = await send(accept('gzip'));
    expect([first.statusCode, first.headers['content-encoding']]).toEqual([201, 'gzip']);
    const again = await send({});
    expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.body).toBe(gunzipSync(first.rawPayload).toString());
  });
});
