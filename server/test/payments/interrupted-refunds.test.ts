import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lockPaymentState } from '../../src/orders/lifecycle.js';
import { finishRefunds, refundOrder, requestRefund } from '../../src/orders/refund.js';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { dataOf, transactionOf } from '../support/orders.js';
import { finishRefundsIn, refundedAmounts } from '../support/refunds.js';
import { order } from '../support/shop.js';

/** How long a refund is postponed after the worker has failed to complete it for the first time. */
const RETRY_DELAY_MS = 10_000;

let one: Feira;
let two: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  one = await openFeira();
  two = await openFeira({ on: one });
});
afterAll(() => one.close());
beforeEach(async () => {
  store = await one.store();
  productId = await newProduct(store, { price: 100, quantity: 10 });
});

const place = () => order(one, store.workspaceId, { productId, variantId: null, quantity: 1 });
const read = async (id: string) => (await store.get(`/orders/${id}`)).body;
const movements = async (id: string) => (await refundedAmounts(one, id)).length;
const workersFinish = () => finishRefundsIn([one, two]);

describe('a refund that was interrupted', () => {
  async function written(id: string, restock: boolean): Promise<{ id: string; amount: number }> {
    const made = await one.context.db.store('test').transaction(async (tx) => {
      const { total } = (await lockPaymentState(tx, store.workspaceId, id))!;
      const origin = `app:${store.clientId}` as const;
      const request = {
        amount: total,
        reason: 'died',
        restock,
        origin,
        idempotencyKey: `${store.clientId} k`,
      };
      return requestRefund(tx, store.workspaceId, id, request);
    });
    return made!;
  }

  test('after it was recorded is completed by the worker', async () => {
    const id = await place();
    await written(id, true);
    expect((await read(id)).status).toBe('paid');
    const refused = await store.post(`/orders/${id}/refund`, undefined, { 'idempotency-key': 'another' });
    expect(refused.body.code).toBe('refund_under_way');
    expect(refused.headers['x-should-retry']).toBe('true');
    await workersFinish();
    // The first error was temporary, so it was not stored under the Idempotency-Key.
    const again = await store.post(`/orders/${id}/refund`, undefined, { 'idempotency-key': 'another' });
    expect([again.body.code, again.headers['idempotent-replayed']]).toEqual(['not_refundable', undefined]);
    expect([(await read(id)).status, await movements(id)]).toEqual(['refunded', 1]);
    expect(await dataOf(one, store, 'order.refunded')).toEqual([{ orderId: id }]);
    expect((await store.get(`/products/${productId}`)).body.quantity).toBe(10);
  });

  test('after its execution by the gateway is not executed a second time', async () => {
    const id = await place();
    const { id: refundId, amount } = await written(id, false);
    await one.context.gateway.refund(await transactionOf(one, id), refundId, amount);
    expect([(await read(id)).status, await movements(id)]).toEqual(['paid', 1]);
    await workersFinish();
    await workersFinish();
    expect([(await read(id)).status, await movements(id)]).toEqual(['refunded', 1]);
    expect(await dataOf(one, store, 'order.refunded')).toEqual([{ orderId: id }]);
  });

  test('is completed by a call that is repeated with the same Idempotency-Key', async () => {
    const id = await place();
    const { id: refundId } = await written(id, false);
    const again = await store.post(`/orders/${id}/refund`, undefined, { 'idempotency-key': 'k' });
    expect([again.status, again.body.status, again.body.refund.id]).toEqual([200, 'refunded', refundId]);
    expect(await movements(id)).toBe(1);
  });

  test('because the gateway was down is completed by the worker later', async () => {
    const id = await place();
    const down = { refund: () => Promise.reject(new Error('connection refused')) };
    const { db, gateway } = one.context;
    const refund = refundOrder(
      db.store(store.workspaceId, 'orders'),
      down,
      store.workspaceId,
      'console',
      id,
      {},
      undefined,
    );
    await expect(refund).rejects.toThrow('refused');
    await expect(finishRefunds(db, one.clock, down)).rejects.toThrow('failed');
    expect((await read(id)).status).toBe('paid');
    one.clock.forward(RETRY_DELAY_MS);
    await finishRefunds(db, one.clock, gateway);
    expect([(await read(id)).status, await movements(id)]).toEqual(['refunded', 1]);
  });

  test('because the order had no payment id is completed once the id is known', async () => {
    const id = await place();
    const payment = await transactionOf(one, id);
    const { db, gateway } = one.context;
    const note = (transactionId: string | null) =>
      db
        .store('test')
        .autocommit.query(sql`update orders set transaction_id = ${transactionId} where id = ${id}`);
    await note(null);
    expect((await store.post(`/orders/${id}/refund`, undefined)).status).toBe(502);
    await expect(finishRefunds(db, one.clock, gateway)).rejects.toThrow('1 of 1 failed');
    await note(payment);
    one.clock.forward(RETRY_DELAY_MS);
    await finishRefunds(db, one.clock, gateway);
    expect([(await read(id)).status, await movements(id)]).toEqual(['refunded', 1]);
  });

  test('and cannot be completed does not block other refunds', async () => {
    const [stuck, fine] = [await place(), await place()];
    await written(stuck, false);
    await written(fine, false);
    const { db, gateway } = one.context;
    const stuckPayment = await transactionOf(one, stuck);
    const moody = {
      refund: async (payment: string, request: string, amount: number) => {
        if (payment === stuckPayment) throw new Error('not now');
        return gateway.refund(payment, request, amount);
      },
    };
    await expect(finishRefunds(db, one.clock, moody)).rejects.toThrow('1 of 2 failed');
    expect([(await read(stuck)).status, (await read(fine)).status]).toEqual(['paid', 'refunded']);
    one.clock.forward(RETRY_DELAY_MS);
    await workersFinish();
    expect((await read(stuck)).status).toBe('refunded');
    expect([await movements(stuck), await movements(fine)]).toEqual([1, 1]);
  });
});
