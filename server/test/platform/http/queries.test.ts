import { beforeAll, describe, expect, test } from 'vitest';
import { newProduct } from '../../support/catalog.js';
import type { Feira, StoreClient } from '../../support/feira.js';
import { sharedFeira } from '../../support/shared-feira.js';
import { order } from '../../support/shop.js';

let feira: Feira;
let store: StoreClient;
let product: string;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  product = (await store.post('/products', { name: 'Shirt', price: 10, quantity: 50 })).body.id;
});

interface Parameter {
  name: string;
  in?: string;
}

describe('an unknown query parameter', () => {
  test('returns 400 on every call, before the body is validated', async () => {
    const routes = feira.app.apiRoutes.filter(({ method }) => method !== 'HEAD');
    expect(routes.length).toBeGreaterThan(20);
    for (const { method, url } of routes) {
      const path = url.replace('/api/v1', '').replace(':id', product).replace(/:\w+/g, 'x');
      const { status, body } = await store.call(method, `${path}?qqqqqqqq=1`, undefined);
      expect([method, path, status, body.code]).toEqual([method, path, 400, 'invalid_parameter']);
      expect(body.error).toContain('qqqqqqqq');
    }
  });

  test('similar to a known name gets a suggestion of that name, on every call that accepts query parameters', async () => {
    const { paths } = (await feira.app.inject('/openapi.json')).json();
    let tried = 0;
    for (const [template, methods] of Object.entries<Record<string, { parameters?: Parameter[] }>>(paths)) {
      if (!template.startsWith('/api/v1/')) continue;
      const path = template
        .replace('/api/v1', '')
        .replace('{id}', product)
        .replace(/\{\w+\}/g, 'x');
      for (const [method, { parameters = [] }] of Object.entries(methods)) {
        for (const { name } of parameters.filter((parameter) => parameter.in === 'query')) {
          const slips = [name.toUpperCase(), ...(name.length > 5 ? [name.slice(0, 3) + name.slice(4)] : [])];
          for (const slip of slips) {
            const { status, body } = await store.call(method.toUpperCase(), `${path}?${slip}=1`);
            expect([method, path, slip, status, body.error]).toEqual([
              method,
              path,
              slip,
              400,
              `Unknown query parameter ${slip}. Did you mean ${name}?`,
            ]);
            tried++;
          }
        }
      }
    }
    expect(tried).toBeGreaterThan(30);
  });

  test.each([
    ['/products', 'updatedfrom', 'updatedFrom'],
    ['/products', 'serch', 'search'],
    ['/orders', 'shippingStatus', 'statusShipping'],
    ['/orders', 'perPage', 'page'],
    ['/events', 'afer', 'after'],
  ])('of %s, such as %s, gets a suggestion of the nearest known name', async (path, name, nearest) => {
    const { status, body } = await store.get(`${path}?${name}=1`);
    expect(status).toBe(400);
    expect(body.error).toContain(`Did you mean ${nearest}?`);
  });

  test('not similar to any known name is answered with all known names', async () => {
    const { body } = await store.get('/events?zzzzzzzz=1');
    expect(body.error).toContain('after, cursor, limit');
  });

  test('is rejected with a short message, however long its name is', async () => {
    const { status, body } = await store.get(`/events?${'z'.repeat(10_000)}=1`);
    expect(status).toBe(400);
    expect(body.error.length).toBeLessThan(300);
  });
});

test('if both query and body are invalid, the query is reported', async () => {
  const path = `/products/${product}/variants?prune=maybe`;
  for (const body of ['not json', '[1]', {}, { types: 1 }]) {
    const answer = await store.put(path, body);
    expect([answer.status, answer.body.error]).toEqual([400, 'prune must be a boolean']);
  }
  const other = await store.put(path, 'x', { 'content-type': 'text/plain' });
  expect(other.body.error).toBe('prune must be a boolean');
});

describe('GET /events', () => {
  test('accepts ?cursor= as an alias of ?after=', async () => {
    const { meta } = (await store.get('/events?limit=1')).body;
    const after = await store.get(`/events?after=${meta.nextCursor}`);
    const cursor = await store.get(`/events?cursor=${meta.nextCursor}`);
    expect(cursor.body).toEqual(after.body);
    expect((await store.get('/events?cursor=invalid')).status).toBe(400);
  });

  test('rejects ?cursor= together with ?after=', async () => {
    const { meta } = (await store.get('/events?limit=1')).body;
    const answer = await store.get(`/events?cursor=${meta.nextCursor}&after=${meta.nextCursor}`);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('after and cursor')]);
  });
});

describe('GET /orders', () => {
  let paid: string;
  let pending: string;
  beforeAll(async () => {
    const line = { productId: product, variantId: null, quantity: 1 };
    paid = await order(feira, store.workspaceId, line);
    pending = await order(feira, store.workspaceId, line, { pay: false });
  });
  const ids = async (query: string) =>
    (await store.get(`/orders?${query}`)).body.data.map(({ id }: { id: string }) => id).sort();

  test('accepts several statuses separated by commas', async () => {
    expect(await ids('status=paid,pending')).toEqual([paid, pending].sort());
    expect(await ids('status=paid,refunded')).toEqual([paid]);
    expect(await ids('status=paid')).toEqual([paid]);
    expect(await ids('statusShipping=pending,sent')).toEqual([paid, pending].sort());
    expect(await ids('statusShipping=sent,returned')).toEqual([]);
    expect(await ids('status=pending&statusShipping=pending,sent')).toEqual([pending]);
  });

  test('includes the statuses in its cursor', async () => {
    const other = await feira.store();
    const line = { productId: await newProduct(other, { quantity: 9 }), variantId: null, quantity: 1 };
    const oldest = await order(feira, other.workspaceId, line, { pay: false });
    await order(feira, other.workspaceId, line);
    const newest = await order(feira, other.workspaceId, line, { pay: false });
    const first = await other.get('/orders?status=pending,canceled&limit=1');
    const next = await other.get(`/orders?cursor=${first.body.meta.nextCursor}&limit=1`);
    expect([first.body.data[0].id, next.body.data[0].id]).toEqual([newest, oldest]);
  });

  test.each(['paid,', ',paid', 'paid,,pending', 'paid, pending', 'gone', 'paid,gone', ''])(
    'rejects status=%s and lists the allowed values',
    async (status) => {
      const answer = await store.get(`/orders?status=${encodeURIComponent(status)}`);
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_parameter']);
      expect(answer.body.error).toContain('partial_refunded');
    },
  );
});
