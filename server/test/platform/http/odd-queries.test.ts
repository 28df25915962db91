import { beforeAll, expect, test } from 'vitest';
import { expectErrorShape } from '../../support/expect-rejected.js';
import type { Feira, StoreClient } from '../../support/feira.js';
import { sharedFeira } from '../../support/shared-feira.js';

// The routes come from the route table, so that the tests for 5xx responses also cover new routes.

let feira: Feira;
let store: StoreClient;
const paths: string[] = [];
/** The routes that accept a cursor, with the name of the parameter. */
const cursors: [path: string, parameter: string][] = [];

interface Described {
  paths: Record<string, { get: { parameters?: { name: string }[] } }>;
}

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  const product = (await store.post('/products', { name: 'Shirt', price: 10 })).body.id;
  const events = ['stock.updated'];
  const webhook = (await store.post('/webhooks', { url: 'https://erp.example/hook', events })).body.id;
  const { paths: described } = (await feira.app.inject('/openapi.json')).json() as Described;
  for (const { method, url } of feira.app.apiRoutes) {
    if (method !== 'GET') continue;
    const id = url.startsWith('/api/v1/webhooks') ? webhook : product;
    const path = url.replace('/api/v1', '').replace(':id', id).replace(/:\w+/g, 'x');
    paths.push(path);
    for (const { name } of described[url.replace(/:(\w+)/g, '{$1}')]?.get.parameters ?? [])
      if (name === 'cursor' || name === 'after') cursors.push([path, name]);
  }
  expect(paths).toContain(`/webhooks/${webhook}/deliveries`);
  expect(cursors).toContainEqual(['/orders', 'cursor']);
  expect(cursors).toContainEqual(['/events', 'after']);
});

const NAMES = [
  'page',
  'limit',
  'cursor',
  'sort',
  'search',
  'categoryId',
  'sku',
  'ean',
  'updatedFrom',
  'updatedTo',
  'dateType',
  'from',
  'to',
  'status',
  'statusShipping',
  'after',
];

test.each(NAMES)('the parameter %s sent twice, as an object or empty never causes a 5xx', async (name) => {
  for (const path of paths)
    for (const query of [`${name}=1&${name}=2`, `${name}[a]=1`, `${name}=`]) {
      const answer = await store.get(`${path}?${query}`);
      expect([path, query, answer.status < 500]).toEqual([path, query, true]);
      if (answer.status >= 400) expectErrorShape(answer);
    }
});

const SORTS = [
  'name',
  'price',
  'quantity',
  'createdAt',
  'updatedAt',
  'lastOrderAt',
  'constructor',
  'toString',
  '__proto__',
];
const VALUES = [
  '2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00+23:59',
  '0001-01-01T00:00:00-15:59',
  '99999999999999999999',
  'a\0b',
  '\ud800',
  1e308,
  -1,
  2 ** 63,
  null,
  {},
  [],
];

/** Returns the name of the list as it is stored in cursors. */
function listAt(path: string): string {
  const [, name, id, part] = path.split('/');
  return part ? `${part} of ${id}` : name!;
}

// Shows that `listAt` returns the names that the server expects. With wrong names, the server would reject every cursor
// of the next test before reading the other parts of the cursor.
test('a forged cursor with the name of its list and valid values is accepted', async () => {
  const lists = paths.filter((path) => /^\/(products|orders|customers|webhooks\/.*\/deliveries)$/.test(path));
  expect(lists).toHaveLength(4);
  for (const path of lists) {
    const sort = path === '/customers' ? 'lastOrderAt' : '-createdAt';
    const parts = [listAt(path), sort, {}, '2026-01-01T00:00:00Z', '01900000-0000-7000-8000-000000000000'];
    const cursor = Buffer.from(JSON.stringify(parts)).toString('base64url');
    expect([path, (await store.get(`${path}?cursor=${cursor}`)).status]).toEqual([path, 200]);
  }
});

test.each(SORTS)('a forged cursor that sorts by %s never causes a 5xx', async (sort) => {
  const id = '01900000-0000-7000-8000-000000000000';
  for (const [path, name] of cursors)
    for (const value of VALUES)
      for (const parts of [
        [sort, {}, value, id],
        [`-${sort}`, {}, value, id],
        [sort, { search: value }, 'x', value],
      ]) {
        const cursor = Buffer.from(JSON.stringify([listAt(path), ...parts])).toString('base64url');
        const { status, body } = await store.get(`${path}?${name}=${cursor}`);
        const failure = status < 500 ? undefined : body;
        expect([path, JSON.stringify(parts), failure]).toEqual([path, JSON.stringify(parts), undefined]);
      }
});
