import { beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newVaried, sizes } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';
import { order } from '../support/shop.js';

const LONG_AGO = '2020-01-31T00:00:00.000Z';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
});

/** Sets updatedAt of all variations of the store to 2020, bypassing the trigger. */
async function backdate(): Promise<void> {
  await feira.context.db.store('test').transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(
      sql`update variations set updated_at = ${LONG_AGO}, document_end = null where workspace_id = ${store.workspaceId}`,
    );
  });
}

/** Returns the SKUs of the variations of a product that have changed since they were backdated. */
async function changed(id: string): Promise<string[]> {
  const { body } = await store.get(`/products/${id}/variants`);
  return body.data
    .filter(({ updatedAt }: { updatedAt: string }) => updatedAt !== LONG_AGO)
    .map(({ sku }: { sku: string }) => sku);
}

const WAYS: [string, (id: string, sku: string) => Promise<unknown>][] = [
  ['a stock write', (id, sku) => store.patch(`/products/${id}/variants/${sku}/stock`, { quantity: 9 })],
  ['a stock batch', (_, sku) => store.patch('/stock', { entries: [{ sku, delta: 2 }] })],
  ['a patch', (id, sku) => store.patch(`/products/${id}/variants`, [{ sku, price: 3 }])],
  [
    'a put',
    (id, sku) => {
      const structure = sizes({ [sku]: 4, [`${sku}-other`]: 1 });
      return store.put(`/products/${id}/variants`, structure);
    },
  ],
  [
    'a sale',
    async (id, sku) => {
      const { body } = await store.get(`/products/${id}/variants`);
      const variantId = body.data.find((each: { sku: string }) => each.sku === sku).id;
      await order(feira, store.workspaceId, { productId: id, variantId, quantity: 1 });
    },
  ],
];

test.each(WAYS)('%s sets updatedAt of the variation it changes and of no other', async (way, change) => {
  const sku = way.replaceAll(' ', '-');
  const id = await newVaried(store, { [sku]: 5, [`${sku}-other`]: 1 });
  await backdate();
  await change(id, sku);
  expect(await changed(id)).toEqual([sku]);
});

test('writing unchanged values does not change updatedAt', async () => {
  const id = await newVaried(store, { same: 5 });
  await backdate();
  await store.patch(`/products/${id}/variants/same/stock`, { quantity: 5 });
  await store.patch('/stock', { entries: [{ sku: 'same', quantity: 5 }] });
  await store.patch(`/products/${id}/variants`, [{ sku: 'same', quantity: 5, price: 10 }]);
  expect(await changed(id)).toEqual([]);
});

test('every representation of a variation has the same updatedAt', async () => {
  const id = await newVaried(store, { everywhere: 5 });
  const written = await store.patch(`/products/${id}/variants/everywhere/stock`, { quantity: 6 });
  const patched = await store.patch(`/products/${id}/variants`, [{ sku: 'everywhere', quantity: 6 }]);
  const listed = await store.get(`/products/${id}/variants`);
  const detail = await store.get(`/products/${id}`);
  const ofStore = await store.get('/variants?sku=everywhere');
  const { productId, ...variation } = ofStore.body.data[0];
  expect(productId).toBe(id);
  expect(variation.updatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  for (const other of [written.body, patched.body.data[0], listed.body.data[0], detail.body.variants[0]])
    expect(other).toStrictEqual(variation);
});
