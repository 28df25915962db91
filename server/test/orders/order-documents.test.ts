import { beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';
import { BUYER, openPayment, order } from '../support/shop.js';

/** Texts at which the stored JSON is split when only the status changes. */
const NAME = 'Ana "},"customer":{"id":" \\"],"expiresAt":" Ção';
const KEY = '3526050X0J92JY000196570010000006041448679011';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
});

async function place(): Promise<string> {
  const productId = await newProduct(store, { name: `${NAME} ${Math.random()}`, quantity: 10 });
  const buyer = { name: NAME, address: { ...BUYER.address, street: NAME } };
  return order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 }, { buyer, pay: false });
}

async function pay(id: string): Promise<void> {
  const [row] = await feira.context.db
    .background('test')
    .query<{ total: number }>(sql`select total from orders where id = ${id}`);
  const { transactionId } = await openPayment(feira, store.workspaceId, id, row!.total);
  await feira.context.gateway.decide(transactionId, 'paid');
}

/** Returns the stored JSON of an order, after checking that it is what order_json() returns for the same row. */
async function documentOf(id: string): Promise<Record<string, unknown>> {
  const [row] = await feira.context.db
    .background('test')
    .query<{ stored: string; built: string }>(
      sql`select document as stored, order_json(o) as built from orders o where id = ${id}`,
    );
  expect(row!.stored).toBe(row!.built);
  return JSON.parse(row!.stored);
}

test('the stored JSON of an order agrees with its columns after every change', async () => {
  const id = await place();
  expect(await documentOf(id)).toMatchObject({ status: 'pending', invoices: [], paidAt: null });
  const added = await store.post(`/orders/${id}/invoices`, { type: 'nfe', key: KEY });
  expect(added.status).toBe(201);
  expect(await documentOf(id)).toMatchObject({ invoices: [added.body] });
  await pay(id);
  const paid = await documentOf(id);
  expect(paid).toMatchObject({ status: 'paid', invoices: [added.body], expiresAt: null });
  expect(paid.paidAt).toBe(paid.updatedAt);
  expect((paid.customer as { name: string }).name).toBe(NAME);
  await store.patch(`/orders/${id}/shipping-status`, {
    statusShipping: 'sent',
    codeShipping: 'QZ123456785BR',
  });
  expect(await documentOf(id)).toMatchObject({ statusShipping: 'sent', invoices: [added.body] });
  await store.delete(`/orders/${id}/invoices/${KEY}`);
  expect(await documentOf(id)).toMatchObject({ invoices: [] });
  await store.post(`/orders/${id}/refund`, {});
  expect(await documentOf(id)).toMatchObject({ status: 'refunded', invoices: [] });
});

test('the next change of an order without stored JSON, as earlier versions wrote it, stores all of it', async () => {
  const id = await place();
  await feira.context.db.store(store.workspaceId).transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`update orders set document = null where id = ${id}`);
  });
  await pay(id);
  expect(await documentOf(id)).toMatchObject({ status: 'paid', customer: { name: NAME } });
});
