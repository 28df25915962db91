import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { setOrderLimits } from '../../src/stores/stores.js';
import { hiddenFields, localPath, openShop, TYPED, Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';

const SCRIPT = `<script>alert("1")</script>`;

let feira: Feira;
let store: StoreClient;
let visitor: Visitor;
let mug: string;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  ({ store, visitor } = await openShop(feira));
  mug = await newProduct(store, { name: 'Mug', price: 34.9, quantity: 10, sku: 'MUG', weight: 0.5 });
});

const orders = async () => (await store.get('/orders')).body.data;

test('prices, totals and products in the form are ignored', async () => {
  await visitor.add(mug);
  const page = await visitor.checkout();
  const placed = await visitor.press(page, 'Place order', {
    ...TYPED,
    price: '0.01',
    total: '0.01',
    shippingCost: '-5',
    unitPrice: '0',
    product: 'x',
  } as never);
  expect(placed.status).toBe(303);
  expect((await orders())[0]).toMatchObject({ subtotal: 34.9, total: 48.15 });
});

test('a script in any field is treated as text, in the shop and in the API', async () => {
  await visitor.add(mug);
  const typed = { name: SCRIPT, street: SCRIPT, complement: SCRIPT, district: SCRIPT, city: SCRIPT };
  const placed = await visitor.order({ ...typed, number: '<b>1</b>', email: '<b>@<i>.example' });
  const order = await visitor.settle(localPath(placed));
  expect(order.status).toBe(200);
  expect(order.html).not.toMatch(/<script(?! src="\/assets\/shop\.js)/);
  expect(order.html).not.toContain('<b>1');
  expect(order.html).toContain('&lt;script');
  expect((await orders())[0].customer.name).toBe(SCRIPT);
  await visitor.add(mug);
  const faulty = await visitor.order(
    Object.fromEntries(Object.keys(TYPED).map((name) => [name, `"'>${SCRIPT}`])) as never,
  );
  expect(faulty.status).toBe(422);
  expect(faulty.html).not.toMatch(/<script(?! src="\/assets\/shop\.js)/);
});

test('no order is placed for an empty cart or a cart with products of another shop', async () => {
  const foreign = await newProduct(await feira.store(), { quantity: 5 });
  await visitor.add(mug);
  const page = await visitor.checkout();
  visitor.cookies.set('feira_cart', `${foreign}..1`);
  expect(localPath(await visitor.press(page, 'Place order', TYPED))).toBe(`/s/${visitor.shop.slug}/cart`);
  visitor.cookies.set('feira_cart', `${mug}..1~${foreign}..1`);
  expect(localPath(await visitor.press(page, 'Place order', TYPED))).toBe(`/s/${visitor.shop.slug}/cart`);
  visitor.cookies.delete('feira_cart');
  expect(localPath(await visitor.press(page, 'Place order', TYPED))).toBe(`/s/${visitor.shop.slug}/cart`);
  expect(await orders()).toEqual([]);
});

test('no order is placed if the cart has grown since the checkout page was shown', async () => {
  await visitor.add(mug);
  const page = await visitor.checkout();
  visitor.cookies.set('feira_cart', `${mug}..9`);
  expect((await visitor.press(page, 'Place order', TYPED)).status).toBe(409);
  expect(await orders()).toEqual([]);
});

test('a total above the maximum is rejected, even if only the delivery cost makes it too high', async () => {
  const palace = await newProduct(store, { price: 999_999_999_999.99, quantity: 5 });
  await visitor.add(palace, { quantity: '5' });
  const refused = await visitor.order();
  expect(refused.status).toBe(409);
  expect(refused.text).toContain('exceeds the maximum for an order');
  const limits = { maxUnitsPerLine: 999, maxUnitsPerOrder: 999 };
  await setOrderLimits(feira.context.db.system('command').autocommit, store.workspaceId, limits);
  const rock = await newProduct(store, { quantity: 999, weight: 999_999_999 });
  const heavy = new Visitor(feira, visitor.shop);
  await heavy.add(rock, { quantity: '999' });
  const tooHeavy = await heavy.order({ state: 'AM' }, '69005000');
  expect(tooHeavy.status).toBe(409);
  expect(tooHeavy.text).toContain('exceeds the maximum for an order');
  expect(await orders()).toEqual([]);
});

test('invalid bytes and a megabyte of text never cause a server error', async () => {
  await visitor.add(mug);
  const cart = visitor.cookies.get('feira_cart') as string;
  const good = { ...hiddenFields(await visitor.checkout(), 'Place order'), ...TYPED };
  const address = `/s/${visitor.shop.slug}/checkout`;
  for (const bytes of [
    '%00',
    'a%00b',
    '%ED%A0%80',
    '%C0%AF',
    '%F0%9F',
    '%',
    '%E2%80%AE',
    '%0D%0ASet-Cookie:x',
  ]) {
    for (const name of Object.keys(TYPED)) {
      const others = new URLSearchParams(Object.entries(good).filter(([field]) => field !== name));
      visitor.cookies.set('feira_cart', cart);
      const { status } = await visitor.post(address, `${others}&${name}=${bytes}`);
      expect(status, `${name}=${bytes}`).toBeLessThan(500);
    }
  }
  visitor.cookies.set('feira_cart', cart);
  const large = await visitor.post(address, { ...good, name: 'x'.repeat(60_000) });
  expect(large.status).toBe(422);
  expect(large.html.length).toBeLessThan(50_000);
  expect((await visitor.post(address, { ...good, name: 'x'.repeat(1_000_000) })).status).toBe(413);
  const [{ clean }] = (await feira.context.db
    .store('test')
    .query(sql`select count(*) filter (where customer::text ~ '\\u0000') = 0 as clean from orders`)) as [
    { clean: boolean },
  ];
  expect(clean).toBe(true);
});

test('a body that is not a form is rejected', async () => {
  const response = await feira.app.inject({
    method: 'POST',
    url: `/s/${visitor.shop.slug}/checkout`,
    headers: { 'content-type': 'application/json' },
    payload: '{"name":"Bia"}',
  });
  expect(response.statusCode).toBe(400);
});
