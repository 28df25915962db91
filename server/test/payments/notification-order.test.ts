import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { finishRefunds } from '../../src/orders/refund.js';
import type { Notification } from '../../src/payments/gateway.js';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { sendNotification } from '../support/notifications.js';
import { transactionOf } from '../support/orders.js';
import { order } from '../support/shop.js';
import { sized } from '../support/sized.js';

const STOCK = 10;
const TOTAL = 62.75;

type Reported = Pick<Notification, 'type'> & {
  refundedInAll?: number;
  amount?: number;
  transactionId?: string;
};

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(open);

async function open(): Promise<void> {
  store = await feira.store();
  productId = await newProduct(store, { price: 50, quantity: STOCK });
}

const place = () =>
  order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 }, { pay: false });
const read = async (id: string) => (await store.get(`/orders/${id}`)).body;

async function notify(orderId: string, id: string, reported: Reported): Promise<void> {
  const transactionId = reported.transactionId ?? (await transactionOf(feira, orderId));
  const notification = { amount: TOTAL, refundedInAll: 0, ...reported, transactionId };
  const { workspaceId } = store;
  expect(await sendNotification(feira, { ...notification, id, workspaceId, orderId })).toBe(200);
}

async function attentionOf(orderId: string): Promise<string[]> {
  const rows = await feira.context.db.store('test').query<{ attention: string }>(sql`
    select attention from payment_notifications where order_id = ${orderId} and attention is not null order by received_at`);
  return rows.map(({ attention }) => attention);
}

/** Returns the resulting state of order, payment, customer, stock and events, without ids and times. */
async function finalState(orderId: string): Promise<object> {
  const { status, statusShipping, refundedAmount } = await read(orderId);
  const [customer] = (await store.get('/customers')).body.data;
  const payment = await feira.context.gateway.find(await transactionOf(feira, orderId));
  const names = (await feira.events(store.workspaceId)).map(({ event }) => event);
  return {
    status,
    statusShipping,
    refundedAmount,
    stock: (await store.get(`/products/${productId}`)).body.quantity,
    spent: [customer.ordersCount, customer.totalSpent],
    refundedAtGateway: payment?.refunded,
    final: ['order.paid', 'order.refunded', 'order.canceled'].map(
      (name) => names.filter((each) => each === name).length,
    ),
  };
}

/** Generates the notifications of one payment in the order in which the gateway sends them. */
const history: fc.Arbitrary<Reported[]> = fc.oneof(
  fc.constant<Reported[]>([{ type: 'canceled' }]),
  fc
    .uniqueArray(fc.integer({ min: 1, max: TOTAL * 100 }), { maxLength: 4 })
    .map((sums): Reported[] => [
      { type: 'paid' },
      ...sums.sort((a, b) => a - b).map((sum): Reported => ({ type: 'refunded', refundedInAll: sum / 100 })),
    ]),
);

/** Generates the positions of a history in any order. Each position occurs at least once. */
const shuffled = (reported: Reported[]) =>
  fc
    .tuple(
      fc.shuffledSubarray([...reported.keys()], { minLength: reported.length }),
      fc.array(fc.nat({ max: reported.length - 1 }), { maxLength: 4 }),
    )
    .chain(([all, repeats]) =>
      fc.shuffledSubarray([...all, ...repeats], { minLength: all.length + repeats.length }),
    );

test('the notifications of a payment lead to the same state in any order and however often they are sent', async () => {
  const story = history.chain((reported) => fc.tuple(fc.constant(reported), shuffled(reported)));
  await fc.assert(
    fc.asyncProperty(story, async ([reported, arrival]) => {
      const outcomes: object[] = [];
      for (const positions of [[...reported.keys()], arrival]) {
        await open();
        const id = await place();
        for (const at of positions) await notify(id, `${id}:${at}`, reported[at]!);
        await finishRefunds(feira.context.db, feira.clock, feira.context.gateway);
        outcomes.push(await finalState(id));
      }
      expect(outcomes[1]).toEqual(outcomes[0]);
    }),
    { numRuns: sized(8, 25) },
  );
});

test('after any mix of paid, refunded and canceled notifications, the amounts at the gateway match the order', async () => {
  const mix = fc.array(
    fc.oneof(
      fc.constant<Reported>({ type: 'paid' }),
      fc.constant<Reported>({ type: 'canceled' }),
      fc
        .integer({ min: 1, max: TOTAL * 100 })
        .map((sum): Reported => ({ type: 'refunded', refundedInAll: sum / 100 })),
    ),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(mix, async (reported) => {
      await open();
      const id = await place();
      const refundedThere = Math.max(0, ...reported.map(({ refundedInAll = 0 }) => refundedInAll));
      const isPaid = reported.some(({ type }) => type === 'paid');
      // If the notifications report a payment, the gateway's own records contain this payment and its refunds.
      await feira.context.db.store('test').autocommit.query(sql`
        update sandbox_payments set status = ${isPaid ? 'paid' : 'open'}, refunded = ${isPaid ? refundedThere : 0}
        where order_id = ${id}`);
      for (const each of reported) {
        await notify(id, randomUUID(), each);
        // The gateway's records already contain refunds that only later notifications report. Until then, a refund
        // that Feira requests may exceed the balance, and the gateway rejects it.
        await finishRefunds(feira.context.db, feira.clock, feira.context.gateway).catch(() => {});
      }
      await finishRefunds(feira.context.db, feira.clock, feira.context.gateway).catch(() => {});

      const { status, refundedAmount } = await read(id);
      const payment = await feira.context.gateway.find(await transactionOf(feira, id));
      const [customer] = (await store.get('/customers')).body.data;
      const stock = (await store.get(`/products/${productId}`)).body.quantity;
      if (status === 'canceled') {
        expect([stock, customer.totalSpent]).toEqual([STOCK, 0]);
        expect(payment?.refunded).toBe(isPaid ? TOTAL : 0);
      } else {
        expect(stock).toBe(STOCK - 1);
        expect(status !== 'pending').toBe(isPaid);
        expect(refundedAmount).toBe(isPaid ? refundedThere : 0);
        expect(payment?.refunded).toBe(refundedAmount);
        expect(customer.totalSpent).toBeCloseTo(isPaid ? TOTAL - refundedAmount : 0, 2);
      }
    }),
    { numRuns: sized(12, 40) },
  );
});

describe('manual review is requested for', () => {
  test('a second payment of a paid order, which keeps its first payment', async () => {
    const id = await place();
    await notify(id, randomUUID(), { type: 'paid' });
    const { payment } = await read(id);
    await notify(id, randomUUID(), { type: 'paid' });
    expect(await attentionOf(id)).toEqual([]);
    await notify(id, randomUUID(), { type: 'paid', transactionId: 'another' });
    await notify(id, randomUUID(), { type: 'refunded', transactionId: 'another', refundedInAll: TOTAL });
    expect(await attentionOf(id)).toEqual(['second_payment', 'refund_of_other_payment']);
    expect(await read(id)).toMatchObject({ status: 'paid', refundedAmount: 0, payment });
  });

  test('a payment of less than the total, which does not pay the order', async () => {
    const id = await place();
    await notify(id, randomUUID(), { type: 'paid', amount: TOTAL - 0.01 });
    expect(await attentionOf(id)).toEqual(['amount_differs']);
    expect((await read(id)).status).toBe('pending');
  });

  test('a payment of more than the total, which pays the order', async () => {
    const id = await place();
    await notify(id, randomUUID(), { type: 'paid', amount: TOTAL + 10 });
    expect(await attentionOf(id)).toEqual(['amount_differs']);
    expect((await read(id)).status).toBe('paid');
  });

  test('a cancellation after the payment, a payment after the cancellation, and an unknown order', async () => {
    const [kept, gone] = [await place(), await place()];
    await notify(kept, randomUUID(), { type: 'paid' });
    await notify(kept, randomUUID(), { type: 'canceled' });
    expect(await attentionOf(kept)).toEqual(['canceled_after_payment']);
    await notify(gone, randomUUID(), { type: 'canceled' });
    await notify(gone, randomUUID(), { type: 'paid' });
    expect(await attentionOf(gone)).toEqual(['paid_after_cancel']);
    const unknown = randomUUID();
    await notify(unknown, randomUUID(), { type: 'paid', transactionId: 'x' });
    expect(await attentionOf(unknown)).toEqual(['unknown_order']);
  });

  test('a payment of a wrong amount, and is counted in the metrics', async () => {
    const counted = async () => {
      const { body } = await feira.app.inject('/metrics');
      const sample = /feira_payment_notifications_attention_total\{reason="amount_differs"\} (\d+)/;
      return Number(sample.exec(body)?.[1] ?? 0);
    };
    const id = await place();
    const before = await counted();
    await notify(id, randomUUID(), { type: 'paid', amount: 1 });
    expect(await counted()).toBe(before + 1);
  });
});

test('the cancellation of a payment that the buyer abandoned for another one does not cancel the order', async () => {
  const id = await place();
  await notify(id, randomUUID(), { type: 'canceled', transactionId: 'given-up' });
  expect((await read(id)).status).toBe('pending');
});
