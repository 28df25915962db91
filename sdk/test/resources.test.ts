import { afterAll, beforeAll, expect, test } from 'vitest';
import { order } from '../../server/test/support/shop.js';
import type { FeiraError } from '../src/errors.js';
import { type LiveServer, openLiveServer } from './support/live-server.js';

let server: LiveServer;
beforeAll(async () => {
  server = await openLiveServer();
});
afterAll(() => server.close());

async function createProducts(count: number, options: { sku?: boolean } = {}) {
  const { client, store } = await server.connect();
  for (let i = 0; i < count; i++)
    await client.products.create({ name: `Product ${i}`, price: 1, ...(options.sku && { sku: `S${i}` }) });
  return { client, store };
}

test('a list can be iterated to its end, awaited for one page, or read page by page', async () => {
  const { client } = await createProducts(5);
  const names: string[] = [];
  for await (const product of client.products.list({ limit: 2, sort: 'name' })) names.push(product.name);
  expect(names).toEqual([0, 1, 2, 3, 4].map((i) => `Product ${i}`));
  const page = await client.products.list({ limit: 2, page: 2, sort: 'name' });
  expect(page.meta.total).toBe(5);
  expect(page.data.map(({ name }) => name)).toEqual(['Product 2', 'Product 3']);
  const sizes: number[] = [];
  for await (const { data } of client.products.list({ limit: 2 }).pages()) sizes.push(data.length);
  expect(sizes).toEqual([2, 2, 1]);
});

test('a list that is not read is not requested', async () => {
  const { client } = await server.connect();
  const before = (await client.products.list().withResponse()).response.headers.get('x-ratelimit-remaining');
  client.products.list();
  const { data, response } = await client.me().withResponse();
  expect(data.name).toMatch(/^Store/);
  expect(Number(response.headers.get('x-ratelimit-remaining'))).toBe(Number(before) - 1);
});

test('filters accept dates and several values', async () => {
  const { client } = await createProducts(1);
  const { data } = await client.products.list({ updatedFrom: new Date(0), include: ['variants', 'images'] });
  expect(data[0]).toMatchObject({ variants: [], images: [] });
  expect((await client.orders.list({ status: ['paid', 'refunded'] })).data).toEqual([]);
});

test('reads and changes products, variations and their stock', async () => {
  const { client } = await server.connect();
  const created = await client.products.create({ name: 'Camiseta', price: 79.9 });
  const { response } = await client.products.get(created.id).withResponse();
  const etag = response.headers.get('etag')!;
  await client.products.update(created.id, { price: 84.9 }, { ifMatch: etag });
  await expect(client.products.update(created.id, { price: 1 }, { ifMatch: etag })).rejects.toMatchObject({
    status: 412,
    code: 'precondition_failed',
  });
  const variations = await client.variants.put(created.id, {
    types: [{ name: 'Tamanho', options: ['P', 'M/G'] }],
    combinations: [
      { combination: 'P', sku: 'CAM P' },
      { combination: 'M/G', sku: 'CAM/MG' },
    ],
  });
  expect(variations).toHaveLength(2);
  expect(await client.variants.setStock(created.id, 'CAM/MG', 7)).toMatchObject({ quantity: 7 });
  expect(await client.variants.update(created.id, [{ sku: 'CAM P', quantity: 3 }])).toHaveLength(2);
  expect((await client.variants.of(created.id)).map(({ quantity }) => quantity).sort()).toEqual([3, 7]);
  expect((await client.variants.list({ sku: 'CAM P' })).data[0]).toMatchObject({ productId: created.id });
  await client.products.delete(created.id, { dryRun: true });
  expect((await client.products.get(created.id)).quantity).toBe(10);
  expect(await client.products.delete(created.id)).toEqual({ id: created.id, deleted: true });
});

test('a batch of any length returns its results in order and names the failed entries', async () => {
  const { client } = await createProducts(2, { sku: true });
  const entries = Array.from({ length: 1_203 }, (_, index) => ({ sku: `S${index % 3}`, quantity: index }));
  const { lines, failed } = await client.stock.set(entries);
  expect(lines.map(({ sku }) => sku)).toEqual(entries.map(({ sku }) => sku));
  expect(failed).toHaveLength(401);
  expect(failed[400]).toMatchObject({ index: 1_202, sku: 'S2', ok: false, code: 'unknown_sku' });
  expect((await client.products.list({ sku: 'S1' })).data[0]!.quantity).toBe(1_201);
});

test('a batch that is repeated with the same idempotency key is applied once', async () => {
  const { client } = await createProducts(1, { sku: true });
  const entries = Array.from({ length: 600 }, () => ({ sku: 'S0', delta: 1 }));
  const first = await client.stock.set(entries, { idempotencyKey: 'sync 42' });
  expect(await client.stock.set(entries, { idempotencyKey: 'sync 42' })).toEqual(first);
  expect((await client.products.list()).data[0]!.quantity).toBe(600);
});

test('if a batch takes several calls and a later call fails, the error has the index of the invalid entry in the whole batch and the results of the earlier calls', async () => {
  const { client } = await createProducts(1, { sku: true });
  const entries = Array.from({ length: 510 }, (_, index) => ({
    sku: 'S0',
    quantity: index === 507 ? -1 : index,
  }));
  const error = (await client.stock.set(entries).catch((reason) => reason)) as FeiraError;
  expect(error).toMatchObject({ status: 422, code: 'validation_failed' });
  expect(error.details).toEqual([{ field: 'entries[507].quantity', message: expect.any(String) }]);
  expect(error.completed).toHaveLength(500);
});

test('reads and changes orders, creates and reads shipments, reads customers, and throws if an invoice is invalid', async () => {
  const { client, store } = await server.connect();
  const { id } = await client.products.create({ name: 'Caneca', price: 30, quantity: 5, weight: 0.3 });
  const orderId = await order(server, store.workspaceId, { productId: id, variantId: null, quantity: 1 });
  expect(await client.orders.get(orderId)).toMatchObject({ status: 'paid' });
  const key = '35261112345678000195550010000012341000012349';
  await expect(client.orders.addInvoice(orderId, { type: 'nfe', key })).rejects.toMatchObject({
    status: 422,
  });
  expect(await client.orders.invoices(orderId)).toEqual([]);
  const { code } = await client.shipments.create({ orderId });
  expect((await client.shipments.get(code)).labelUrl).toMatch(/^http/);
  await client.orders.setShippingStatus(orderId, { statusShipping: 'sent' });
  expect((await client.shipments.tracking(code)).events[0]).toMatchObject({ status: 'sent' });
  expect((await client.customers.list()).data).toHaveLength(1);
  expect(await client.orders.refund(orderId, { reason: 'broken' })).toMatchObject({ status: 'refunded' });
});

test('manages webhook subscriptions and reads their log', async () => {
  const { client } = await server.connect();
  const { id, secret } = await client.webhooks.create({
    url: 'https://erp.example/hooks',
    events: ['order.paid'],
    excludeOwn: true,
  });
  expect(secret).toMatch(/^whsec_/);
  expect(await client.webhooks.get(id)).toMatchObject({ excludeOwn: true });
  await client.webhooks.update(id, { events: ['order.paid', 'stock.updated'] });
  expect((await client.webhooks.rotateSecret(id)).secret).not.toBe(secret);
  expect((await client.webhooks.deliveries(id)).data).toEqual([]);
  expect(await client.webhooks.list()).toHaveLength(1);
  expect(await client.webhooks.delete(id)).toEqual({ id, deleted: true });
});

test('categories are a plain array', async () => {
  const { client } = await server.connect();
  expect(await client.categories()).toContainEqual({ id: 23, name: 'Others', parentId: null });
});
