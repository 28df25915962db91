import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newProduct } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { dated, inTimeZone } from '../support/orders.js';
import { sharedFeira } from '../support/shared-feira.js';
import { order } from '../support/shop.js';

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await sharedFeira();
});
beforeEach(async () => {
  store = await feira.store();
  productId = await newProduct(store, { quantity: 100 });
});

/** Places an order for each entry of `moments`. The key is the buyer's name, the value is the time of the order. */
async function placed<Name extends string>(moments: Record<Name, string>): Promise<void> {
  for (const [name, createdAt] of Object.entries<string>(moments)) {
    const line = { productId, variantId: null, quantity: 1 };
    await dated(feira, await order(feira, store.workspaceId, line, { buyer: { name } }), { createdAt });
  }
}

const names = async (query: string): Promise<string[]> => {
  const { status, body } = await store.get(`/orders?sort=createdAt&${query}`);
  expect(status).toBe(200);
  return body.data.map(({ customer }: { customer: { name: string } }) => customer.name);
};

test('the parameters from and to are whole days in São Paulo, both inclusive', async () => {
  await placed({
    before: '2026-03-10T02:59:59.999Z',
    first: '2026-03-10T03:00:00.000Z',
    last: '2026-03-12T02:59:59.999Z',
    after: '2026-03-12T03:00:00.000Z',
  });
  expect(await names('from=2026-03-10&to=2026-03-11')).toEqual(['first', 'last']);
  expect(await names('from=2026-03-10&to=2026-03-10')).toEqual(['first']);
  expect(await names('from=2026-03-10')).toEqual(['first', 'last', 'after']);
  expect(await names('to=2026-03-11')).toEqual(['before', 'first', 'last']);
  expect(await names('to=2026-03-09')).toEqual(['before']);
});

test('dateType selects the date with which the parameters from and to are compared', async () => {
  const line = { productId, variantId: null, quantity: 1 };
  const id = await order(feira, store.workspaceId, line);
  await dated(feira, id, { createdAt: '2026-01-10T12:00:00Z', updatedAt: '2026-02-20T12:00:00Z' });
  expect(await names('from=2026-01-10&to=2026-01-10')).toHaveLength(1);
  expect(await names('from=2026-01-10&to=2026-01-10&dateType=created')).toHaveLength(1);
  expect(await names('from=2026-01-10&to=2026-01-10&dateType=updated')).toHaveLength(0);
  expect(await names('from=2026-02-20&to=2026-02-20&dateType=updated')).toHaveLength(1);
  expect(await names('from=2026-02-20&to=2026-02-20')).toHaveLength(0);
});

test('an old order whose status changed today is listed for today with dateType=updated', async () => {
  const line = { productId, variantId: null, quantity: 1 };
  const id = await dated(feira, await order(feira, store.workspaceId, line), {
    createdAt: '2026-01-10T12:00:00Z',
  });
  const changed = await store.patch(`/orders/${id}/shipping-status`, { statusShipping: 'sent' });
  const day = new Date(Date.parse(changed.body.updatedAt) - 3 * 3_600_000).toISOString().slice(0, 10);
  expect(await names(`from=${day}&to=${day}&dateType=updated`)).toHaveLength(1);
  expect(await names(`from=${day}&to=${day}`)).toHaveLength(0);
});

describe('time zones and clock changes', () => {
  test('the days of a store in Tokyo begin at midnight in Tokyo', async () => {
    await inTimeZone(feira, store, 'Asia/Tokyo');
    await placed({ yesterday: '2026-03-09T14:59:59.999Z', today: '2026-03-09T15:00:00Z' });
    expect(await names('from=2026-03-10&to=2026-03-10')).toEqual(['today']);
    expect(await names('from=2026-03-09&to=2026-03-09')).toEqual(['yesterday']);
  });

  test('a day of 23 hours and a day of 25 hours in New York are covered completely', async () => {
    await inTimeZone(feira, store, 'America/New_York');
    await placed({
      short_begins: '2026-03-08T05:00:00Z',
      short_ends: '2026-03-09T03:59:59.999Z',
      long_begins: '2026-11-01T04:00:00Z',
      long_ends: '2026-11-02T04:59:59.999Z',
      next: '2026-11-02T05:00:00Z',
    });
    expect(await names('from=2026-03-08&to=2026-03-08')).toEqual(['short_begins', 'short_ends']);
    expect(await names('from=2026-11-01&to=2026-11-01')).toEqual(['long_begins', 'long_ends']);
    expect(await names('from=2026-11-02&to=2026-11-02')).toEqual(['next']);
  });

  test('a day in São Paulo without a midnight begins at 1:00, and one whose last hour is repeated includes the repetition', async () => {
    await placed({
      eve: '2018-11-04T02:59:59.999Z',
      began_at_one: '2018-11-04T03:00:00Z',
    });
    expect(await names('from=2018-11-04&to=2018-11-04')).toEqual(['began_at_one']);
    expect(await names('from=2018-11-03&to=2018-11-03')).toEqual(['eve']);
    await placed({ twice: '2018-02-18T02:30:00Z', next: '2018-02-18T03:00:00Z' });
    expect(await names('from=2018-02-17&to=2018-02-17')).toEqual(['twice']);
    expect(await names('from=2018-02-18&to=2018-02-18')).toEqual(['next']);
  });

  test('a day in Havana with two midnights begins at the first', async () => {
    await inTimeZone(feira, store, 'America/Havana');
    await placed({
      eve: '2026-11-01T03:59:59.999Z',
      first_midnight: '2026-11-01T04:00:00Z',
      second_midnight: '2026-11-01T05:00:00Z',
      next: '2026-11-02T05:00:00Z',
    });
    expect(await names('from=2026-11-01&to=2026-11-01')).toEqual(['first_midnight', 'second_midnight']);
    expect(await names('to=2026-10-31')).toEqual(['eve']);
    expect(await names('from=2026-11-02')).toEqual(['next']);
  });
});

test.each([
  'from=2026-03-11&to=2026-03-10',
  'from=2026-02-30',
  'to=2026-02-29',
  'from=2026-13-01',
  'from=2026-00-10',
  'from=0000-01-01',
  'from=2026-3-1',
  'from=20260301',
  'from=01/03/2026',
  'from=2026-03-01T00:00:00Z',
  'from=%202026-03-01',
  'from=',
  'to=tomorrow',
  'from=2026-03-01&from=2026-03-02',
  'dateType=updated&from=2026-03-11&to=2026-03-10',
])('%s returns 400', async (query) => {
  const { status, body } = await store.get(`/orders?${query}`);
  expect([status, body.code]).toEqual([400, 'invalid_parameter']);
});

test.each([
  'from=2024-02-29&to=2024-02-29',
  'from=0001-01-01&to=9999-12-31',
  'from=2026-03-10&to=2026-03-10',
])('%s is accepted', async (query) => {
  expect((await store.get(`/orders?${query}`)).status).toBe(200);
});
