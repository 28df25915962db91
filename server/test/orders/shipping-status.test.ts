import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct, observe } from '../support/catalog.js';
import type { Answer, Feira, StoreClient } from '../support/feira.js';
import { transactionOf } from '../support/orders.js';
import { sharedFeira } from '../support/shared-feira.js';
import { order } from '../support/shop.js';

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  productId = await newProduct(store, { quantity: 100_000 });
});

const place = (options: { pay?: boolean } = {}) =>
  order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 }, options);
const change = (id: string, body: unknown): Promise<Answer> =>
  store.patch(`/orders/${id}/shipping-status`, body);

/**
 * The statuses to set one after the other to reach each status. `canceled` cannot be set; `inState` refunds the order
 * instead.
 */
const WAYS: Record<string, string[]> = {
  pending: [],
  preparing: ['preparing'],
  sent: ['sent'],
  in_transit: ['sent', 'in_transit'],
  delivered: ['sent', 'delivered'],
  returned: ['sent', 'returned'],
  canceled: [],
};
const STATES = Object.keys(WAYS);

/** The allowed transitions, written independently of the tested code. */
const ALLOWED: Record<string, string[]> = {
  pending: ['preparing', 'sent'],
  preparing: ['pending', 'sent'],
  sent: ['in_transit', 'delivered', 'returned'],
  in_transit: ['delivered', 'returned'],
  delivered: ['returned'],
  returned: [],
  canceled: [],
};

async function inState(state: string): Promise<string> {
  const id = await place();
  for (const step of WAYS[state]!) expect((await change(id, { statusShipping: step })).status).toBe(200);
  if (state === 'canceled') await store.post(`/orders/${id}/refund`, undefined);
  return id;
}

describe.each(STATES)('a change of the shipping status from %s', (from) => {
  test.each(STATES)('to %s is accepted, ignored or rejected as documented', async (to) => {
    const id = await inState(from);
    const before = (await store.get(`/orders/${id}`)).body;
    expect(before.statusShipping).toBe(from);
    const { status, body, events } = await observe(feira, store, () => change(id, { statusShipping: to }));
    if (from === to) {
      expect([status, body, events]).toEqual([200, before, []]);
    } else if (ALLOWED[from]!.includes(to)) {
      expect([status, body.statusShipping]).toEqual([200, to]);
      const data = { orderId: id, statusShipping: to, codeShipping: '' };
      expect(events).toEqual([{ event: 'order.shipped', data }]);
      expect((await store.get(`/orders/${id}`)).body).toEqual(body);
    } else {
      expect([status, body.code, events]).toEqual([409, 'illegal_transition', []]);
      expect(body.error).toContain(`is ${from} `);
      for (const allowed of ALLOWED[from]!) expect(body.error).toContain(allowed);
      expect((await store.get(`/orders/${id}`)).body).toEqual(before);
    }
  });
});

describe('sending requires payment', () => {
  test('an unpaid order can be prepared but not sent', async () => {
    const id = await place({ pay: false });
    expect((await change(id, { statusShipping: 'preparing' })).status).toBe(200);
    const { status, body } = await change(id, { statusShipping: 'sent' });
    expect([status, body.code]).toEqual([409, 'not_paid']);
    expect(body.error).toContain('pending');
  });

  test('a partly refunded order can be sent', async () => {
    const id = await place();
    await feira.context.gateway.refundAsMerchant(await transactionOf(feira, id), 5);
    const { status, body } = await change(id, { statusShipping: 'sent' });
    expect([status, body.status, body.statusShipping]).toEqual([200, 'partial_refunded', 'sent']);
  });

  test('the shipping status of an order that was sent can still change after a refund', async () => {
    const id = await inState('sent');
    expect((await store.post(`/orders/${id}/refund`, undefined)).body.statusShipping).toBe('sent');
    expect((await change(id, { statusShipping: 'returned' })).status).toBe(200);
  });

  test('neither the shipping status nor the shipment code of a canceled order can be changed', async () => {
    const id = await place({ pay: false });
    await feira.context.gateway.decide(await transactionOf(feira, id), 'canceled');
    for (const statusShipping of ['pending', 'preparing', 'sent'])
      expect((await change(id, { statusShipping })).status).toBe(409);
    const corrected = await change(id, { statusShipping: 'canceled', codeShipping: 'AA1' });
    expect([corrected.status, corrected.body.code]).toEqual([409, 'illegal_transition']);
    expect(corrected.body.error).toContain('the code, the carrier and the tracking URL cannot change');
  });
});

describe('the shipment code', () => {
  test('is set together with a status, is corrected by sending that status with another code, and is not changed by an identical call', async () => {
    const id = await place();
    const first = { statusShipping: 'sent', codeShipping: 'AA000000001BR', carrier: 'Correios' };
    const sent = await observe(feira, store, () => change(id, first));
    expect(sent.events).toEqual([
      {
        event: 'order.shipped',
        data: { orderId: id, statusShipping: 'sent', codeShipping: 'AA000000001BR' },
      },
    ]);
    const repeat = await observe(feira, store, () => change(id, first));
    expect([repeat.status, repeat.body, repeat.events]).toEqual([200, sent.body, []]);
    const bare = await observe(feira, store, () => change(id, { statusShipping: 'sent' }));
    expect([bare.status, bare.body, bare.events]).toEqual([200, sent.body, []]);

    const second = { statusShipping: 'sent', codeShipping: 'AA000000002BR' };
    const corrected = await observe(feira, store, () => change(id, second));
    expect(corrected.body).toMatchObject({ ...second, carrier: 'Correios', shippedAt: sent.body.shippedAt });
    expect(corrected.events.map(({ data }) => data)).toEqual([{ orderId: id, ...second }]);
    expect((await store.get('/shipments/AA000000002BR/tracking')).body.events).toHaveLength(1);
  });

  test.each([null, ''])('is removed by %j, and is "" in the event', async (none) => {
    const id = await place();
    await change(id, { statusShipping: 'preparing', codeShipping: 'AA000000003BR' });
    const cleared = await observe(feira, store, () =>
      change(id, { statusShipping: 'preparing', codeShipping: none }),
    );
    expect(cleared.body.codeShipping).toBeNull();
    expect(cleared.events).toEqual([
      { event: 'order.shipped', data: { orderId: id, statusShipping: 'preparing', codeShipping: '' } },
    ]);
  });

  test('is changed once by 20 identical concurrent calls', async () => {
    const id = await place();
    const moved = await observe(feira, store, async () => {
      const same = { statusShipping: 'sent', codeShipping: 'AA000000004BR' };
      const answers = await Promise.all(Array.from({ length: 20 }, () => change(id, same)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      return answers[0]!;
    });
    expect(moved.events).toHaveLength(1);
    expect((await store.get('/shipments/AA000000004BR/tracking')).body.events).toHaveLength(1);
  });
});

test('shippedAt is set by the change to sent, deliveredAt by the change to delivered, and later changes keep both', async () => {
  const id = await place();
  expect((await change(id, { statusShipping: 'preparing' })).body).toMatchObject({
    shippedAt: null,
    deliveredAt: null,
  });
  const sent = (await change(id, { statusShipping: 'sent' })).body;
  expect(sent).toMatchObject({ shippedAt: sent.updatedAt, deliveredAt: null });
  const delivered = (await change(id, { statusShipping: 'delivered' })).body;
  expect(delivered).toMatchObject({ shippedAt: sent.shippedAt, deliveredAt: delivered.updatedAt });
  const returned = (await change(id, { statusShipping: 'returned' })).body;
  expect(returned).toMatchObject({ shippedAt: sent.shippedAt, deliveredAt: delivered.deliveredAt });
});

describe('invalid calls', () => {
  let id: string;
  beforeEach(async () => {
    id = await place();
  });

  test.each([
    ['an unknown status', { statusShipping: 'shipped' }, 'statusShipping'],
    ['a status in capitals', { statusShipping: 'SENT' }, 'statusShipping'],
    ['a status that is not a string', { statusShipping: 1 }, 'statusShipping'],
    ['no status', { codeShipping: 'AA1' }, 'statusShipping'],
    ['a code that is not a string', { statusShipping: 'sent', codeShipping: 5 }, 'codeShipping'],
    ['a code that is too long', { statusShipping: 'sent', codeShipping: 'x'.repeat(101) }, 'codeShipping'],
    ['an invalid URL', { statusShipping: 'sent', trackingUrl: 'correios' }, 'trackingUrl'],
  ])('%s returns 422 and names the field', async (_what, body, field) => {
    const answer = await change(id, body);
    expect([answer.status, answer.body.details[0].field]).toEqual([422, field]);
  });

  test('a wrong scope returns 403, and an order that is unknown or of another store returns 404, before the shipping status is checked', async () => {
    const reader = await store.withScopes(['orders:read', 'shipping:write']);
    const body = { statusShipping: 'canceled' };
    expect((await reader.patch(`/orders/${id}/shipping-status`, body)).status).toBe(403);
    const other = await feira.store();
    expect((await other.patch(`/orders/${id}/shipping-status`, body)).status).toBe(404);
    expect((await change('nothing', body)).status).toBe(404);
  });

  test('a rejected change adds no shipment', async () => {
    await change(id, { statusShipping: 'delivered', codeShipping: 'AA000000009BR' });
    const rows = await feira.context.db
      .store('test')
      .query(sql`select from shipments where workspace_id = ${store.workspaceId} and code = 'AA000000009BR'`);
    expect(rows).toEqual([]);
  });
});
