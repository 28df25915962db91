import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { startWorker, type Worker } from '../../src/worker.js';
import { newProduct, newVaried, sizes } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { pngOf } from '../support/images.js';
import { uploadAndAttach } from '../support/media.js';
import { until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { readLog, subscribe } from '../support/webhooks.js';

let feira: Feira;
let worker: Worker;
let receiver: Receiver;
let store: StoreClient;

beforeAll(async () => {
  feira = await openFeira();
  worker = startWorker(feira.context);
});
afterAll(async () => {
  await worker.stop();
  await feira.close();
});
beforeEach(async () => {
  receiver = await Receiver.open();
  store = await feira.store();
  return () => receiver.close();
});

function only(...fields: string[]) {
  return subscribe(store, receiver.url, ['product.updated'], { filter: { fields } });
}

/**
 * Waits until `count` deliveries of a subscription have arrived, checks that it has no others, and returns the data of
 * everything received. The log includes the deliveries of all committed events, so no others can arrive later.
 */
async function delivered(id: string, count: number): Promise<Record<string, unknown>[]> {
  await until(async () => (await readLog(store, id, '?status=delivered')).length === count);
  expect(await readLog(store, id)).toHaveLength(count);
  return receiver.bodies().map(({ data }) => data);
}

describe('a filter', () => {
  test('on price passes only updates that change the price', async () => {
    const { id } = await only('price');
    const product = await newProduct(store, { price: 10 });
    await store.patch(`/products/${product}`, { name: 'Another name', weight: 2 });
    expect(await readLog(store, id)).toEqual([]);
    await store.patch(`/products/${product}`, { price: 11 });
    await store.patch(`/products/${product}`, { name: 'A third name' });
    await store.patch(`/products/${product}`, { price: 11, description: 'The price stays' });
    await store.patch(`/products/${product}`, { name: 'A fourth name', price: 12 });
    const got = await delivered(id, 2);
    expect(got).toHaveLength(2);
    expect(got).toContainEqual({ id: product, fields: ['price'] });
    expect(got).toContainEqual({ id: product, fields: ['name', 'price'] });
  });

  test('matches when any of its fields changed', async () => {
    const { id } = await only('sku', 'weight');
    const product = await newProduct(store);
    for (const change of [{ sku: 'A' }, { ean: '1' }, { weight: 1 }, { price: 1 }, { sku: 'B', weight: 2 }])
      expect((await store.patch(`/products/${product}`, change)).status).toBe(200);
    const fields = (await delivered(id, 3)).map((data) => data.fields);
    expect(fields).toHaveLength(3);
    for (const changed of [['sku'], ['weight'], ['weight', 'sku']]) expect(fields).toContainEqual(changed);
  });

  test('on the field variants matches when a PUT or PATCH of variants adds, changes or removes variations', async () => {
    const { id } = await only('variants');
    const other = await only('price', 'quantity', 'sku', 'ean', 'name');
    const product = await newVaried(store, { S: 1, M: 2 });
    const path = `/products/${product}/variants`;
    await store.patch(path, { variants: [{ sku: 'S', price: 5 }] });
    await store.patch(path, { variants: [{ sku: 'M', setSku: 'L', setEan: '1', quantity: 9 }] });
    await store.put(`${path}?prune=true`, sizes({ S: 1 }));
    const got = await delivered(id, 4);
    expect(got.every((data) => data.id === product && typeof data.variants === 'number')).toBe(true);
    expect(await readLog(store, other.id)).toEqual([]);
  });

  test('on the field images matches when an image is attached, moved or removed', async () => {
    const product = await newProduct(store);
    const { id } = await only('images');
    const other = await only('urlImage');
    const image = await uploadAndAttach(feira, store, product, await pngOf(1));
    const second = await store.post(`/products/${product}/images`, { url: 'https://cdn.example/a.png' });
    await store.patch(`/products/${product}/images/${second.body.id}`, { order: 0 });
    await store.delete(`/products/${product}/images/${image.body.id}`);
    await store.patch(`/products/${product}`, { urlImage: 'https://cdn.example/b.png' });
    await delivered(id, 4);
    expect(await readLog(store, other.id)).toHaveLength(1);
  });

  test('does not affect events other than product.updated', async () => {
    const events = ['product.created', 'product.updated', 'product.deleted', 'stock.updated'];
    const { id } = await subscribe(store, receiver.url, events, { filter: { fields: ['price'] } });
    const product = await newProduct(store);
    await store.patch(`/products/${product}`, { quantity: 5 });
    await store.patch(`/products/${product}/stock`, { quantity: 6 });
    await store.delete(`/products/${product}`);
    await delivered(id, 4);
    expect(receiver.bodies().map(({ event }) => event)).not.toContain('product.updated');
  });

  test('adds no fields to the body of a delivery', async () => {
    const { id } = await only('price');
    const product = await newProduct(store);
    await store.patch(`/products/${product}`, { price: 3 });
    await delivered(id, 1);
    expect(JSON.parse(receiver.received[0]!.body)).toEqual({
      event: 'product.updated',
      workspaceId: store.workspaceId,
      data: { id: product, fields: ['price'] },
    });
  });

  test('passes an event that an earlier release wrote without changed_fields', async () => {
    const { id } = await only('price');
    await feira.context.db.store('test').autocommit.query(sql`
      insert into outbox (workspace_id, event, data, origin)
      values (${store.workspaceId}, 'product.updated', '{"id": "p", "fields": ["name"]}', 'system')`);
    await delivered(id, 1);
  });
});

describe('a new subscription', () => {
  const make = (settings: object) =>
    store.post('/webhooks', { url: receiver.url, events: ['product.updated'], ...settings });

  test('has its filter and excludeOwn in every response that contains it', async () => {
    const settings = { filter: { fields: ['price', 'variants'] }, excludeOwn: true };
    const made = await make(settings);
    expect(made.status).toBe(201);
    const path = `/webhooks/${made.body.id}`;
    for (const { body } of [
      made,
      await store.get(path),
      await store.patch(path, { url: `${receiver.url}/other` }),
      await store.post(`${path}/rotate-secret`, {}),
      { body: (await store.get('/webhooks')).body.data[0] },
    ])
      expect(body).toMatchObject(settings);
  });

  test('has the filter null and excludeOwn false by default', async () => {
    for (const settings of [{}, { filter: null }, { excludeOwn: false }])
      expect((await make(settings)).body).toMatchObject({ filter: null, excludeOwn: false });
  });

  test('may filter only by variants, images and the fields that a PATCH of a product can change, and stores repeated fields once', async () => {
    const { schemas } = (await feira.app.inject('/openapi.json')).json().components;
    const fields = [...Object.keys(schemas.ProductChange.properties), 'variants', 'images'];
    expect((await make({ filter: { fields } })).body.filter).toEqual({ fields });
    const refused = await make({ filter: { fields: ['price', 'stock'] } });
    expectRejected(refused, 422, ['filter.fields[1]']);
    const [, named] = /^must be one of (.*)$/.exec(refused.body.details[0].message)!;
    expect(named!.split(', ').sort()).toEqual(fields.sort());
    const repeated = await make({ filter: { fields: ['price', 'sku', 'price'] } });
    expect(repeated.body.filter).toEqual({ fields: ['price', 'sku'] });
  });

  test.each<[string, unknown, string]>([
    ['a string', 'price', 'filter'],
    ['an array', ['price'], 'filter'],
    ['without fields', {}, 'filter.fields'],
    ['with an empty list of fields', { fields: [] }, 'filter.fields'],
    ['with fields that are null', { fields: null }, 'filter.fields'],
    ['with fields that are a string', { fields: 'price' }, 'filter.fields'],
    ['with too many fields', { fields: Array(100).fill('price') }, 'filter.fields'],
    ['with a field in the wrong letter case', { fields: ['Price'] }, 'filter.fields[0]'],
    ['with a number as a field', { fields: [1] }, 'filter.fields[0]'],
  ])('is rejected when its filter is invalid: %s', async (_, filter, field) => {
    expectRejected(await make({ filter }), 422, [field]);
  });

  test.each([null, 'true', 1, []])('is rejected when its excludeOwn is %j', async (excludeOwn) => {
    expectRejected(await make({ excludeOwn }), 422, ['excludeOwn']);
  });
});
