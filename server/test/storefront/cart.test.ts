import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Shop } from '../../src/stores/queries.js';
import { hiddenFields, localPath, shopOf, Visitor } from '../support/buyer.js';
import { newProduct, newVaried } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import type { Page } from '../support/merchant.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;
let shop: Shop;
let visitor: Visitor;
let mug: string;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  shop = await shopOf(feira, store);
  mug = await newProduct(store, { name: 'Mug', price: 34.9, quantity: 10 });
});
beforeEach(() => {
  visitor = new Visitor(feira, shop);
});

test('the cart shows an added product with its total; adding it again increases the quantity', async () => {
  const added = await visitor.add(mug, { quantity: '2' });
  expect([added.status, added.location]).toEqual([303, `/s/${shop.slug}/cart`]);
  await visitor.add(mug);
  const { text, html } = await visitor.at('/cart');
  expect(text).toContain('Mug R$34.90 each');
  expect(text).toContain('Subtotal R$104.70');
  expect(html).toContain('<span aria-hidden="true">3</span>');
});

test('the cookie of the cart is not accessible to scripts, belongs to one shop and contains no prices', async () => {
  const { headers } = await visitor.add(mug);
  const cookie = [headers['set-cookie']].flat().find((text) => String(text).startsWith('feira_cart='));
  expect(cookie).toMatch(new RegExp(`; Path=/s/${shop.slug}; HttpOnly; SameSite=Lax$`));
  expect(cookie).not.toContain('34.9');
});

test('a script can read the number of units in the cart, to correct a page that the Back button shows again', async () => {
  const unitsAfter = ({ headers }: Page) =>
    [headers['set-cookie']].flat().find((text) => String(text).startsWith('feira_units='));
  const path = `; Path=/s/${shop.slug}; SameSite=Lax`;
  expect(unitsAfter(await visitor.add(mug, { quantity: '2' }))).toMatch(/^feira_units=2; Max-Age=\d+/);
  const removed = unitsAfter(await visitor.press(await visitor.at('/cart'), 'Remove'));
  expect(removed).toMatch(new RegExp(`^feira_units=0; Max-Age=\\d+${path}$`));
});

test('a line can be changed and removed', async () => {
  await visitor.add(mug);
  const before = await visitor.at('/cart');
  await visitor.press(before, 'Update quantities', { [`quantity-${mug}.`]: '5' });
  const after = await visitor.at('/cart');
  expect(after.text).toContain('Subtotal R$174.50');
  await visitor.press(after, 'Remove');
  expect((await visitor.at('/cart')).text).toContain('Your cart is empty');
});

test('a changed quantity is saved by the button that leads to the checkout', async () => {
  await visitor.add(mug);
  const page = await visitor.press(await visitor.at('/cart'), 'Checkout', { [`quantity-${mug}.`]: '3' });
  expect(page.location).toBe(`/s/${shop.slug}/checkout`);
  expect((await visitor.at('/cart')).text).toContain('Subtotal R$104.70');
});

test('two variations of one product are two lines', async () => {
  const id = await newVaried(store, { S: 5, L: 5 });
  const [small, large] = (await store.get(`/products/${id}/variants`)).body.data as { id: string }[];
  await visitor.add(id, { variantId: small!.id });
  await visitor.add(id, { variantId: large!.id });
  expect((await visitor.at('/cart')).html.match(/name="remove"/g)).toHaveLength(2);
});

describe('a quantity', () => {
  test('that is invalid is rejected when a product is added, and ignored when the cart is updated', async () => {
    for (const quantity of ['0', '-1', '1.5', '1000', '1000000000', '1e3', 'many', '', '٣', '\0'])
      expect((await visitor.add(mug, { quantity })).status, quantity).toBe(422);
    expect((await visitor.at('/cart')).text).toContain('empty');
    await visitor.add(mug, { quantity: '2' });
    await visitor.press(await visitor.at('/cart'), 'Update quantities', {
      [`quantity-${mug}.`]: '1000000000',
    });
    expect((await visitor.at('/cart')).text).toContain('Subtotal R$69.80');
  });

  test('cannot grow beyond 999 when the product is added again', async () => {
    await visitor.add(mug, { quantity: '999' });
    const refused = await visitor.add(mug);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('does not fit in your cart');
  });

  test('above the stock is reported in the cart and cannot be checked out', async () => {
    const checkoutButton = 'value="checkout"';
    await visitor.add(mug, { quantity: '10' });
    expect((await visitor.at('/cart')).html).toContain(checkoutButton);
    await visitor.add(mug);
    const { text, html } = await visitor.at('/cart');
    expect(text).toContain('Only 10 left');
    expect(html).not.toContain(checkoutButton);
    expect((await visitor.checkout()).location).toBe(`/s/${shop.slug}/cart`);
  });
});

test('the cart holds at most thirty lines', async () => {
  const ids = [];
  for (let at = 0; at < 31; at++) ids.push(await newProduct(store, { quantity: 1 }));
  for (const id of ids.slice(0, 30)) expect((await visitor.add(id)).status).toBe(303);
  expect((await visitor.add(ids[30]!)).status).toBe(422);
  expect((visitor.cookies.get('feira_cart') as string).length).toBeLessThan(3500);
});

test('a product of another shop, an unknown product or variation, and a product whose variation is not chosen cannot be added', async () => {
  const foreign = await newProduct(await feira.store(), { quantity: 5 });
  const varied = await newVaried(store, { S: 5 });
  const fields = hiddenFields(await visitor.at(`/products/${mug}`), 'Add to cart');
  for (const wrong of [
    { product: foreign },
    { product: varied },
    { product: 'x' },
    { product: '\0' },
    { variant: varied, product: varied },
  ])
    expect((await visitor.post(`/s/${shop.slug}/cart`, { ...fields, ...wrong })).status).toBe(404);
});

test('a product that is no longer for sale is marked in the cart and can be removed', async () => {
  const gone = await newProduct(store, { quantity: 5 });
  await visitor.add(gone);
  await store.delete(`/products/${gone}`);
  const page = await visitor.at('/cart');
  expect(page.text).toContain('No longer for sale');
  await visitor.press(page, 'Remove');
  expect((await visitor.at('/cart')).text).toContain('empty');
});

test('an empty cart links to the last unpaid order until that order is paid, even if an older paid order is opened', async () => {
  const cup = await newProduct(store, { quantity: 2 });
  const pay = async (payment: string) => localPath(await visitor.press(await visitor.get(payment), 'Pay'));
  const linksToOrder = async () => (await visitor.at('/cart')).html.includes(`/s/${shop.slug}/orders/`);
  const older = await pay(await visitor.buy(cup));
  const payment = await visitor.buy(cup);
  expect((await visitor.get(older)).status).toBe(200);
  expect(await linksToOrder()).toBe(true);
  await visitor.get(await pay(payment));
  expect(await linksToOrder()).toBe(false);
});

test('an invalid cookie is treated as an empty cart, and a repeated line counts once', async () => {
  const line = `${mug}..1`;
  for (const value of [
    'x',
    '~~~',
    '....',
    `${mug}..1000000000`,
    `${mug}..-1`,
    `${mug}.x.1`,
    '%00',
    '%ED%A0%80',
    'a'.repeat(3900),
  ]) {
    visitor.cookies.set('feira_cart', value);
    const page = await visitor.at('/cart');
    expect(page.status, value).toBe(200);
    expect(page.text).toContain('empty');
  }
  visitor.cookies.set('feira_cart', Array(50).fill(line).join('~'));
  expect((await visitor.at('/cart')).text).toContain('Subtotal R$34.90');
});

test('a form without the CSRF token that the cart page gave to this browser is rejected', async () => {
  await visitor.add(mug);
  const fields = hiddenFields(await visitor.at('/cart'), 'Checkout');
  const other = new Visitor(feira, shop);
  await other.add(mug);
  await other.at('/cart');
  const path = `/s/${shop.slug}/cart/lines`;
  for (const wrong of [{}, { ...fields, csrf: '' }, { ...fields, csrf: 'x' }])
    expect((await visitor.post(path, wrong)).status).toBe(403);
  expect((await other.post(path, fields)).status).toBe(403);
  expect((await new Visitor(feira, shop).post(path, fields)).status).toBe(403);
});
