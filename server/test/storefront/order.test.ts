import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expireUnpaid } from '../../src/orders/lifecycle.js';
import { finishRefunds } from '../../src/orders/refund.js';
import type { Shop } from '../../src/stores/queries.js';
import { localPath, shopOf, Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import { ALL_SCOPES, type Feira, openFeira, type StoreClient } from '../support/feira.js';
import type { Page } from '../support/merchant.js';
import { buy } from '../support/shop.js';

let feira: Feira;
let store: StoreClient;
let shop: Shop;
let visitor: Visitor;
let mug: string;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
  shop = await shopOf(feira, store);
  visitor = new Visitor(feira, shop);
  mug = await newProduct(store, { name: 'Mug', price: 34.9, quantity: 10 });
});

const onlyOrder = async () => (await store.get('/orders')).body.data[0];
const pageOf = (orderId: string): Promise<Page> =>
  visitor.get(new URL(feira.context.orderLinks.urlOf(shop, orderId)).href.replace('http://feira.test', ''));

/** Lets unpaid orders expire. The access token expires with them, so the store gets a new one. */
async function letExpire(): Promise<void> {
  feira.clock.forward(2 * 60 * 60 * 1000);
  await expireUnpaid(feira.context.db, feira.clock);
  store = await store.withScopes(ALL_SCOPES);
}

test('an order waits for its payment and can be paid from its page', async () => {
  await visitor.buy(mug);
  const { id, number } = await onlyOrder();
  const waiting = await pageOf(id);
  expect(waiting.text).toContain(`Order ${number} Waiting for payment`);
  expect(waiting.text).toContain('1 × Mug R$34.90');
  expect(waiting.text).toContain('Total R$47.65');
  const payment = localPath(await visitor.press(waiting, 'Pay now'));
  const paid = await visitor.settle(payment);
  expect(paid.text).toContain('Your payment was received.');
  expect(paid.forms.some(({ buttons }) => 'Pay now' in buttons)).toBe(false);
  expect((await onlyOrder()).status).toBe('paid');
});

test('a declined payment is reported in the shop, and the order can be paid with another method', async () => {
  const payment = await visitor.buy(mug, { payment: 'card', installments: '3' });
  const declined = await visitor.settle(payment, 'Decline');
  expect(declined.text).toContain('The payment was declined and nothing was charged.');
  const { id } = await onlyOrder();
  expect((await pageOf(id)).text).not.toContain('declined');
  const next = localPath(await visitor.press(declined, 'Continue to payment', { payment: 'pix' }));
  expect(next).toBe(payment);
  expect((await visitor.get(next)).text).toContain('Scan the code');
  expect((await onlyOrder()).payment).toMatchObject({ method: 'pix', installments: 1 });
  expect((await visitor.settle(next)).text).toContain('Your payment was received.');
  expect((await onlyOrder()).status).toBe('paid');
});

test('the payment method of an order cannot be changed to boleto, nor to any method once the order is paid', async () => {
  const payment = await visitor.buy(mug);
  const { id } = await onlyOrder();
  const waiting = await pageOf(id);
  const card = { payment: 'card', installments: '12' };
  await visitor.press(waiting, 'Continue to payment', { payment: 'boleto' });
  expect((await onlyOrder()).payment).toMatchObject({ method: 'pix', installments: 1 });
  await visitor.press(waiting, 'Continue to payment', card);
  expect((await onlyOrder()).payment).toMatchObject({ method: 'card', installments: 12 });
  await visitor.settle(payment);
  const { status, location } = await visitor.press(waiting, 'Continue to payment', { payment: 'pix' });
  expect([status, location]).toEqual([303, feira.context.orderLinks.urlOf(shop, id)]);
  expect((await onlyOrder()).payment).toMatchObject({ method: 'card', installments: 12 });
});

test('an order whose payment changes from boleto to Pix expires two hours after the change, so that its stock is not reserved for days', async () => {
  await visitor.buy(mug, { payment: 'boleto' });
  const { id } = await onlyOrder();
  await visitor.press(await pageOf(id), 'Continue to payment', { payment: 'pix' });
  await letExpire();
  expect(await onlyOrder()).toMatchObject({ status: 'canceled' });
});

test('a change of the payment method does not postpone the expiry of an order', async () => {
  await visitor.buy(mug);
  const { id, expiresAt } = await onlyOrder();
  feira.clock.forward(60_000);
  await visitor.press(await pageOf(id), 'Continue to payment', { payment: 'card' });
  expect(await onlyOrder()).toMatchObject({ payment: { method: 'card' }, expiresAt });
});

test('an order has its payment id even if the process dies before it opens the payment', async () => {
  const line = { productId: mug, variantId: null, quantity: 1 };
  await buy(feira, store.workspaceId, { lines: [line] });
  const { id, payment } = await onlyOrder();
  const page = localPath(await visitor.press(await pageOf(id), 'Pay now'));
  expect(page).toContain(`/sandbox/pay/${payment.transactionId}?`);
  await visitor.settle(page);
  expect(await onlyOrder()).toMatchObject({ status: 'paid', payment });
});

test('the order page says how to contact the shop', async () => {
  const { text, html } = await visitor.settle(await visitor.buy(mug));
  const { email } = (await store.get('/me')).body;
  expect(text).toContain(`Questions about this order? Write to ${email}`);
  expect(html).toContain(`href="mailto:${email}?subject=Order%20`);
});

test('the order page opens only with the key of that order', async () => {
  await visitor.buy(mug);
  await visitor.buy(mug);
  const [one, two] = (await store.get('/orders')).body.data as { id: string }[];
  const { orderLinks } = feira.context;
  const elsewhere = await shopOf(feira, await feira.store());
  const key = orderLinks.keyOf(shop.workspaceId, one!.id);
  expect((await visitor.at(`/orders/${one!.id}?key=${key}`)).status).toBe(200);
  for (const path of [
    `/orders/${one!.id}`,
    `/orders/${one!.id}?key=`,
    `/orders/${one!.id}?key=${key}x`,
    `/orders/${two!.id}?key=${key}`,
    `/orders/x?key=${orderLinks.keyOf(shop.workspaceId, 'x')}`,
    `/orders/${one!.id}?key=${orderLinks.keyOf(elsewhere.workspaceId, one!.id)}`,
  ])
    expect((await visitor.at(path)).status, path).toBe(404);
  expect((await visitor.get(`/s/${elsewhere.slug}/orders/${one!.id}?key=${key}`)).status).toBe(404);
  expect((await visitor.post(`/s/${shop.slug}/orders/${one!.id}/pay`, { key: 'x' })).status).toBe(404);
});

test('the order page shows every tracking event of the parcel, including its delivery', async () => {
  await visitor.settle(await visitor.buy(mug));
  const { id } = await onlyOrder();
  const { body: label } = await store.post('/shipments', { orderId: id });
  expect((await pageOf(id)).text).toContain('Being prepared');
  for (const statusShipping of ['sent', 'in_transit', 'delivered'])
    await store.patch(`/orders/${id}/shipping-status`, { statusShipping });
  const { text } = await pageOf(id);
  expect(text).toContain(label.code);
  expect(text).toMatch(/Delivered .*On the way .*Sent/);
});

test('of two orders with the same tracking code, only the one that got it first shows its tracking', async () => {
  for (let at = 0; at < 2; at++) await visitor.settle(await visitor.buy(mug));
  const [one, two] = (await store.get('/orders')).body.data as { id: string }[];
  for (const order of [one!, two!])
    await store.patch(`/orders/${order.id}/shipping-status`, {
      statusShipping: 'sent',
      codeShipping: 'SAME',
    });
  const ways = [await pageOf(one!.id), await pageOf(two!.id)].map(({ html }) => html.includes('class="way"'));
  expect(ways).toEqual([true, false]);
});

test('an unpaid order is canceled when it expires, and its stock is for sale again', async () => {
  await visitor.buy(mug);
  const { id } = await onlyOrder();
  await letExpire();
  const { text, forms } = await pageOf(id);
  expect(text).toContain('Canceled');
  expect(forms.some(({ buttons }) => 'Pay now' in buttons)).toBe(false);
  expect((await store.get(`/products/${mug}`)).body.quantity).toBe(10);
});

test('a payment for an expired order is refunded automatically, and the order stays canceled', async () => {
  const payment = await visitor.buy(mug);
  const { id } = await onlyOrder();
  await letExpire();
  expect((await visitor.settle(payment)).text).toContain('Canceled');
  const { db, gateway } = feira.context;
  await finishRefunds(db, feira.clock, gateway);
  expect(
    (await gateway.find(new URL(payment, 'http://feira.test').pathname.split('/').at(-1)!))?.refunded,
  ).toBe(47.65);
  expect(await onlyOrder()).toMatchObject({ id, status: 'canceled' });
  const names = (await feira.events(store.workspaceId)).map(({ event }) => event);
  expect(names).not.toContain('order.paid');
  expect(names).not.toContain('order.refunded');
});

test('a refund is shown on the order page', async () => {
  await visitor.settle(await visitor.buy(mug));
  const { id } = await onlyOrder();
  await store.post(`/orders/${id}/refund`, undefined);
  expect((await pageOf(id)).text).toMatch(/Refunded .*Refunded R\$47\.65/);
});

test('the invoices of an order are on its page, in the language of the buyer', async () => {
  await visitor.buy(mug);
  const { id } = await onlyOrder();
  expect((await pageOf(id)).text).not.toContain('Invoice');
  await store.post(`/orders/${id}/invoices`, {
    type: 'nfe',
    key: '3526050X0J92JY000196570010000006041448679011',
    number: '604',
    series: '1',
    pdfUrl: 'https://erp.example/604.pdf?a=1&b="'.replace('"', '%22'),
  });
  const page = await pageOf(id);
  expect(page.text).toContain('NF-e, no. 604, series 1');
  expect(page.text).toContain('Access key: 3526 050X 0J92 JY00 0196 5700 1000 0006 0414 4867 9011');
  expect(page.html).toContain('href="https://erp.example/604.pdf?a=1&amp;b=%22"');
  expect(page.text).not.toContain('XML');
  const brazilian = new Visitor(feira, shop, { 'accept-language': 'pt-BR' });
  const { pathname, search } = new URL(feira.context.orderLinks.urlOf(shop, id));
  expect((await brazilian.get(pathname + search)).text).toContain('Nota fiscal NF-e, nº 604, série 1');
});

test('the cart links to the unpaid order of this browser until it is paid', async () => {
  const paymentUrl = await visitor.buy(mug, { payment: 'card', installments: '2' });
  const cart = await visitor.at('/cart');
  expect(cart.text).toContain('You have placed an order that is not paid yet.');
  const [, address = ''] = /class="open-order">.*?href="([^"]*)"/s.exec(cart.html) ?? [];
  const order = await visitor.get(address.replaceAll('&amp;', '&'));
  expect(order.text).toMatch(/Waiting for payment.*Payment: Credit card, 2× R\$/s);
  await visitor.settle(paymentUrl);
  expect((await visitor.at('/cart')).text).not.toContain('not paid yet');
});
