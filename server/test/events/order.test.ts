import { beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import type { Feira } from '../support/feira.js';
import { until } from '../support/process.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;

beforeAll(async () => {
  feira = await sharedFeira();
});

test('the event of a stock batch that waited for a lock follows the event of the change it overwrote', async () => {
  const store = await feira.store();
  const first = await newProduct(store, { sku: 'A', quantity: 1 });
  const second = await newProduct(store, { sku: 'B', quantity: 1 });
  const third = await newProduct(store, { sku: 'C', quantity: 1 });

  const holder = await feira.context.db.store('test').begin();
  await holder.query(sql`
    select from products where workspace_id = ${store.workspaceId} and id = ${second} for update`);
  const entries = ['A', 'B', 'C'].map((sku) => ({ sku, quantity: 4 }));
  const batch = store.patch('/stock', { entries });
  await until(() => isLocked(store.workspaceId, first));
  expect((await store.patch(`/products/${third}/stock`, { quantity: 5 })).status).toBe(200);
  await holder.rollback();
  expect((await batch).status).toBe(200);

  expect((await store.get(`/products/${third}`)).body.quantity).toBe(4);
  const { data } = (await store.get('/events')).body as {
    data: { event: string; data: { id: string; quantity: number } }[];
  };
  const balances = data.filter(({ event, data }) => event === 'stock.updated' && data.id === third);
  expect(balances.map((event) => event.data.quantity)).toEqual([5, 4]);
});

async function isLocked(workspaceId: string, productId: string): Promise<boolean> {
  const free = await feira.context.db.store('test').transaction((tx) =>
    tx.query(sql`
      select from products where workspace_id = ${workspaceId} and id = ${productId} for update skip locked`),
  );
  return free.length === 0;
}
