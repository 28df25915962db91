import { beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { expectRejected } from '../support/expect-rejected.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

const MISSING = '01900000-0000-7000-8000-000000000000';
const FULL = {
  price: 10,
  priceDiscount: 8,
  description: 'Text',
  quantity: 5,
  weight: 1,
  width: 2,
  height: 3,
  length: 4,
  typeId: 1,
  categoryId: 2,
  urlImage: 'https://cdn.example/a.png',
  sku: 'SKU',
  ean: 'EAN',
};
const CLEARABLE = [
  'description',
  'weight',
  'width',
  'height',
  'length',
  'urlImage',
  'sku',
  'ean',
  'priceDiscount',
];

let feira: Feira;
let store: StoreClient;
let names = 0;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
});

/** Creates a product. `events` returns the events emitted for it after product.created. */
async function product(fields: object = {}) {
  const made = await store.post('/products', { name: `Product ${++names}`, ...FULL, ...fields });
  expect(made.status).toBe(201);
  const id: string = made.body.id;
  const events = async () =>
    (await feira.events(store.workspaceId))
      .filter(({ event, data }) => data.id === id && event !== 'product.created')
      .sort((a, b) => a.event.localeCompare(b.event));
  const patch = (body: unknown) => store.patch(`/products/${id}`, body);
  return { id, record: made.body, events, patch };
}

async function varied() {
  const { id, ...rest } = await product();
  await store.put(`/products/${id}/variants`, {
    types: [{ name: 'Size', options: ['S'] }],
    combinations: [{ combination: 'S', sku: `S-${id}`, quantity: 3 }],
  });
  return { id, ...rest };
}

describe('PATCH /products/{id}', () => {
  test('changes the fields that were sent, keeps the others, and returns the complete product', async () => {
    const { id, record, patch } = await product();
    const longAgo = '2020-01-01T00:00:00.000Z';
    await feira.context.db
      .store('test')
      .autocommit.query(sql`update products set updated_at = ${longAgo} where id = ${id}`);
    const { status, body } = await patch({ price: 12.5, description: 'New' });
    expect(status).toBe(200);
    const after = { ...record, price: 12.5, description: 'New', updatedAt: expect.any(String) };
    expect(body).toStrictEqual(after);
    expect(body.updatedAt >= record.updatedAt).toBe(true);
    expect((await store.get(`/products/${id}`)).body).toStrictEqual(body);
  });

  test.each(CLEARABLE)('clears %s with null', async (field) => {
    const { record, patch, events } = await product();
    const { status, body } = await patch({ [field]: null });
    expect(status).toBe(200);
    expect(body).toStrictEqual({ ...record, [field]: null, updatedAt: expect.any(String) });
    expect(await events()).toEqual([{ event: 'product.updated', data: { id: record.id, fields: [field] } }]);
  });

  test.each(['name', 'price', 'quantity', 'typeId', 'categoryId'])('rejects null for %s', async (field) => {
    const { patch } = await product();
    expectRejected(await patch({ [field]: null }), 422, [field]);
    expectRejected(await store.post('/products', { name: 'Null', ...FULL, [field]: null }), 422, [field]);
  });

  test('rejects a body without a changeable field', async () => {
    const { id, patch, events } = await product();
    for (const body of [{}, { color: 'red' }, { id, createdAt: null, hasVariants: true }])
      expectRejected(await patch(body), 422);
    expect(await events()).toEqual([]);
  });

  test('ignores unknown and read-only fields next to a changeable one', async () => {
    const { record, patch } = await product();
    const { status, body } = await patch({ price: 11, color: 'a\0b\ud800', id: MISSING, hasVariants: true });
    expect(status).toBe(200);
    expect(body).toStrictEqual({ ...record, price: 11, updatedAt: expect.any(String) });
  });

  test('rejects the name of another product, and treats the current name in another Unicode form as unchanged', async () => {
    const taken = await product({ name: 'Pão' });
    const { patch } = await product();
    expectRejected(await patch({ name: ' Pa\u0303o ' }), 409);
    expect((await patch({ name: 'PÃO' })).status).toBe(200);
    const same = await taken.patch({ name: ' Pa\u0303o ' });
    expect([same.status, same.body.updatedAt]).toEqual([200, taken.record.updatedAt]);
    expect(await taken.events()).toEqual([]);
  });

  test('rejects the quantity of a product with variations, and so does PATCH /products/{id}/stock', async () => {
    const { id, patch } = await varied();
    expectRejected(await patch({ quantity: 3 }), 422, ['quantity']);
    expectRejected(await store.patch(`/products/${id}/stock`, { quantity: 3 }), 422, ['quantity']);
    expect((await patch({ price: 99 })).body).toMatchObject({ price: 99, quantity: 3 });
  });

  test('accepts a priceDiscount that is not below the price', async () => {
    const { patch } = await product();
    for (const priceDiscount of [10, 10.01, 999_999_999_999.99])
      expect((await patch({ priceDiscount })).body.priceDiscount).toBe(priceDiscount);
  });
});

describe('a PATCH with several errors', () => {
  test('reports an invalid body before a missing product', async () => {
    expectRejected(await store.patch(`/products/${MISSING}`, { price: -1 }), 422, ['price']);
    expectRejected(await store.patch(`/products/${MISSING}`, '{'), 400);
  });

  test('reports a missing product before an unknown category', async () => {
    expectRejected(await store.patch(`/products/${MISSING}`, { categoryId: 9999 }), 404);
    expectRejected(await store.patch('/products/nonsense', { categoryId: 9999 }), 404);
  });

  test('reports an unknown category and a forbidden quantity before a duplicate name', async () => {
    const { record } = await product();
    const { patch, events } = await varied();
    const before = await events();
    const answer = await patch({ name: record.name, categoryId: 9999, quantity: 1 });
    expectRejected(answer, 422, ['categoryId', 'quantity']);
    expectRejected(await patch({ name: record.name, price: 77 }), 409);
    expect(await events()).toEqual(before);
  });
});

describe('the events of a product', () => {
  test('consist of one product.created with id and name after a POST, even if it sets a quantity', async () => {
    const other = await feira.store();
    const { body } = await other.post('/products', { name: ' Shirt ', price: 1, quantity: 5 });
    expect(await feira.events(other.workspaceId)).toEqual([
      { event: 'product.created', data: { id: body.id, name: 'Shirt' } },
    ]);
  });

  test('list only the fields whose value changed, not all that were sent', async () => {
    const { id, patch, events } = await product();
    await patch({ price: 10, description: 'Text', weight: 1.5, sku: 'NEW' });
    const [only, ...others] = await events();
    expect(others).toEqual([]);
    expect(only).toEqual({
      event: 'product.updated',
      data: { id, fields: expect.toSatisfy((fields) => [...fields].sort().join() === 'sku,weight') },
    });
  });

  test('are product.updated and stock.updated when the quantity changed', async () => {
    const { id, patch, events } = await product();
    await patch({ quantity: 6 });
    expect(await events()).toEqual([
      { event: 'product.updated', data: { id, fields: ['quantity'] } },
      { event: 'stock.updated', data: { id, quantity: 6 } },
    ]);
  });

  test('are not emitted, and updatedAt stays the same, when a PATCH changes nothing', async () => {
    const { record, patch, events } = await product();
    const { status, body } = await patch({ ...FULL, name: ` ${record.name} ` });
    expect(status).toBe(200);
    expect(body).toStrictEqual(record);
    expect(await events()).toEqual([]);
  });

  test('are not emitted when the same stock is written again', async () => {
    const { id, record, events } = await product();
    const same = await store.patch(`/products/${id}/stock`, { quantity: 5 });
    expect([same.status, same.body.updatedAt]).toEqual([200, record.updatedAt]);
    expect(await events()).toEqual([]);
    await store.patch(`/products/${id}/stock`, { quantity: 0 });
    expect(await events()).toEqual([{ event: 'stock.updated', data: { id, quantity: 0 } }]);
  });

  test('consist, after a DELETE, of one product.deleted with the id', async () => {
    const { id, events } = await product();
    await store.delete(`/products/${id}`);
    expect(await events()).toEqual([{ event: 'product.deleted', data: { id } }]);
  });

  test('are not emitted for a rejected call', async () => {
    const count = async () => (await feira.events(store.workspaceId)).length;
    const { record } = await product();
    const before = await count();
    await store.post('/products', { name: record.name, price: 1 });
    await store.post('/products', { name: 'Never', price: 1, categoryId: 9999 });
    await store.delete(`/products/${MISSING}`);
    expect(await count()).toBe(before);
  });
});
