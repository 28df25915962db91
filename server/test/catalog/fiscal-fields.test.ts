import { beforeAll, beforeEach, expect, test } from 'vitest';
import { newProduct, observe } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;
let id: string;

beforeAll(async () => {
  feira = await sharedFeira();
});
beforeEach(async () => {
  store = await feira.store();
  id = await newProduct(store);
});

const read = async () => (await store.get(`/products/${id}`)).body;

test('fiscal fields are null until they are set, and null again when they are cleared', async () => {
  const none = { ncm: null, cest: null, fiscalOrigin: null };
  expect(await read()).toMatchObject(none);
  const fiscal = { ncm: '01012100', cest: '0100100', fiscalOrigin: 8 };
  const set = await observe(feira, store, () => store.patch(`/products/${id}`, fiscal));
  expect([set.status, set.body]).toEqual([200, expect.objectContaining(fiscal)]);
  expect(set.events).toEqual([
    { event: 'product.updated', data: { id, fields: ['ncm', 'cest', 'fiscalOrigin'] } },
  ]);
  expect(await read()).toMatchObject(fiscal);
  expect((await store.get('/products')).body.data[0]).toMatchObject(fiscal);
  expect((await store.patch(`/products/${id}`, { cest: null })).body).toMatchObject({
    ...fiscal,
    cest: null,
  });
  await store.patch(`/products/${id}`, none);
  expect((await store.get('/products')).body.data[0]).toMatchObject(none);
});

test('a PATCH that sends the current fiscal fields again emits no event', async () => {
  await store.patch(`/products/${id}`, { ncm: '61091000', fiscalOrigin: 0 });
  const again = await observe(feira, store, () =>
    store.patch(`/products/${id}`, { ncm: '61091000', fiscalOrigin: 0 }),
  );
  expect(again.events).toEqual([]);
});

test.each<[string, unknown]>([
  ['ncm', '6109.10.00'],
  ['ncm', '6109100'],
  ['ncm', '610910000'],
  ['ncm', '6109100A'],
  ['ncm', '٦١٠٩١٠٠٠'],
  ['ncm', 61091000],
  ['ncm', ''],
  ['cest', '280380'],
  ['cest', '28.038.00'],
  ['cest', 2803800],
  ['fiscalOrigin', -1],
  ['fiscalOrigin', 9],
  ['fiscalOrigin', 1.5],
  ['fiscalOrigin', '0'],
])('%s %j is rejected on create and on change', async (field, value) => {
  expectRejected(await store.post('/products', { name: 'Other', price: 1, [field]: value }), 422, [field]);
  expectRejected(await store.patch(`/products/${id}`, { [field]: value }), 422, [field]);
});
