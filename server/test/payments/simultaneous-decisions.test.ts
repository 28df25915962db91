import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { dataOf, transactionOf } from '../support/orders.js';
import { openPayment, order } from '../support/shop.js';

// Payments of one store that are opened or decided at the same time share a statement.

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
  productId = await newProduct(store, { price: 50, quantity: 100 });
});

const place = (pay = false) =>
  order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 }, { pay });
const statusOf = async (id: string) => (await store.get(`/orders/${id}`)).body.status;
const decide = (transactionId: string, decision: 'paid' | 'declined' | 'canceled') =>
  feira.context.gateway.decide(transactionId, decision);

/** Makes the decisions at the same time. Returns the error code of each, or 'ok'. */
async function decideAll(decisions: [string, 'paid' | 'declined' | 'canceled'][]): Promise<string[]> {
  const results = await Promise.allSettled(decisions.map(([id, decision]) => decide(id, decision)));
  return results.map((result) => (result.status === 'fulfilled' ? 'ok' : result.reason.code));
}

test('each payment gets its own decision', async () => {
  const ids = await Promise.all([place(), place(), place(), place()]);
  const payments = await Promise.all(ids.map((id) => transactionOf(feira, id)));
  const decisions = ['paid', 'canceled', 'declined', 'paid'] as const;
  const unknown = 'sbx_0123456789abcdef01234567';
  await expect(decide(unknown, 'paid')).rejects.toMatchObject({ code: 'no_such_payment' });
  expect(await decideAll(payments.map((id, at) => [id, decisions[at]!]))).toEqual(['ok', 'ok', 'ok', 'ok']);
  expect(await Promise.all(ids.map(statusOf))).toEqual(['paid', 'canceled', 'pending', 'paid']);
  const paid = (await dataOf(feira, store, 'order.paid')).map(({ orderId }) => orderId);
  expect(paid.sort()).toEqual([ids[0], ids[3]].sort());
  // All rows of a statement have the same transaction id.
  const rows = await feira.context.db.store('test').query<{ transaction: string }>(sql`
    select distinct xmin::text as transaction from sandbox_payments where workspace_id = ${store.workspaceId}`);
  expect(rows).toHaveLength(1);
});

test('of several decisions on one payment, one is made, contradicting ones are refused and repeated ones change nothing', async () => {
  const orderId = await place();
  const id = await transactionOf(feira, orderId);
  const results = await decideAll([
    [id, 'paid'],
    [id, 'canceled'],
    [id, 'canceled'],
    [id, 'paid'],
  ]);
  const payment = await feira.context.gateway.find(id);
  // A repeated decision is accepted and changes nothing.
  expect(results).toEqual(
    payment?.status === 'paid'
      ? ['ok', 'payment_final', 'payment_final', 'ok']
      : ['payment_final', 'ok', 'ok', 'payment_final'],
  );
  expect(await statusOf(orderId)).toBe(payment?.status);
  expect(await dataOf(feira, store, 'order.paid')).toHaveLength(payment?.status === 'paid' ? 1 : 0);
});

test('a payment that another transaction has locked does not delay the others', async () => {
  const ids = await Promise.all([place(), place(), place()]);
  const [locked, ...others] = await Promise.all(ids.map((id) => transactionOf(feira, id)));
  const waiting = await feira.context.db.store('test').transaction(async (tx) => {
    await tx.query(sql`select from sandbox_payments where id = ${locked!} for update`);
    const decision = decide(locked!, 'paid');
    expect(await decideAll(others.map((id) => [id, 'paid']))).toEqual(['ok', 'ok']);
    expect(await statusOf(ids[0]!)).toBe('pending');
    return { decision };
  });
  await waiting.decision;
  expect(await Promise.all(ids.map(statusOf))).toEqual(['paid', 'paid', 'paid']);
});

test('a decision on a final payment does not wait for a transaction that has locked it', async () => {
  const id = await transactionOf(feira, await place(true));
  await feira.context.db.store('test').transaction(async (tx) => {
    await tx.query(sql`select from sandbox_payments where id = ${id} for update`);
    expect(
      await decideAll([
        [id, 'canceled'],
        [id, 'paid'],
      ]),
    ).toEqual(['payment_final', 'ok']);
  });
});

test('an error of one payment does not affect those that are opened at the same time', async () => {
  const [first, second] = await Promise.all([place(), place()]);
  await feira.context.db.store('test').autocommit.query(sql`
    delete from sandbox_payments where workspace_id = ${store.workspaceId}`);
  const results = await Promise.allSettled(
    [
      [first!, 62.75],
      [second!, -1],
    ].map(([id, amount]) => openPayment(feira, store.workspaceId, id as string, amount as number)),
  );
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});

test('a payment that is opened several times at once is created once', async () => {
  const [first, second] = await Promise.all([place(), place()]);
  await feira.context.db.store('test').autocommit.query(sql`
    delete from sandbox_payments where workspace_id = ${store.workspaceId}`);
  const opened = await Promise.all(
    [first!, second!, first!, second!].map((id) =>
      openPayment(feira, store.workspaceId, id, id === first ? 62.75 : 80),
    ),
  );
  const ids = await Promise.all([first!, second!].map((id) => transactionOf(feira, id)));
  expect(opened.map(({ transactionId }) => transactionId)).toEqual([...ids, ...ids]);
  const rows = await feira.context.db.store('test').query<{ id: string; amount: number }>(sql`
    select id, amount from sandbox_payments where workspace_id = ${store.workspaceId} order by amount`);
  expect(rows).toEqual([
    { id: ids[0], amount: 62.75 },
    { id: ids[1], amount: 80 },
  ]);
});
