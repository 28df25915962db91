import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listJobs } from '../../src/worker.js';
import { shopOf, Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { order } from '../support/shop.js';

let sandbox: Feira;
let none: Feira;
let testShop: Feira;
let store: StoreClient;
let mug: string;

beforeAll(async () => {
  sandbox = await openFeira();
  none = await openFeira({ on: sandbox, paymentGateway: 'none' });
  testShop = await openFeira({ on: sandbox, isTestShop: true });
  store = await sandbox.store();
  mug = await newProduct(store, { quantity: 100 });
});
afterAll(() => sandbox.close());

const visitorOf = async (feira: Feira, headers: Record<string, string> = {}) =>
  new Visitor(feira, await shopOf(feira, store), headers);
const place = (pay: boolean) =>
  order(sandbox, store.workspaceId, { productId: mug, variantId: null, quantity: 1 }, { pay });
/** Returns the address of an order's page, without the host. */
const orderPage = async (orderId: string) => {
  const url = new URL(sandbox.context.orderLinks.urlOf(await shopOf(sandbox, store), orderId));
  return url.pathname + url.search;
};

describe('without a payment gateway', () => {
  test('checkout says that the shop does not accept orders yet, and places none', async () => {
    const visitor = await visitorOf(none);
    await visitor.add(mug);
    const page = await visitor.checkout();
    expect([page.status, page.text]).toEqual([
      409,
      expect.stringContaining('This shop does not accept orders yet'),
    ]);
    const buyer = await visitorOf(sandbox);
    await buyer.add(mug);
    const form = (await buyer.checkout()).forms.find(({ action }) => action.endsWith('/checkout'))!;
    for (const [name, value] of buyer.cookies) visitor.cookies.set(name, value);
    const sent = await visitor.post(form.action, form.fields);
    expect([sent.status, sent.text]).toEqual([
      409,
      expect.stringContaining('This shop does not accept orders yet'),
    ]);
    expect((await store.get('/orders')).body.data).toEqual([]);
  });

  test('the sandbox’s pages, notification route and jobs do not exist', async () => {
    const orderId = await place(false);
    const { payment } = (await store.get(`/orders/${orderId}`)).body;
    const url = new URL(sandbox.context.gateway.links.urlOf(payment.transactionId));
    const path = url.pathname + url.search;
    expect((await sandbox.app.inject(path)).statusCode).toBe(200);
    expect((await none.app.inject(path)).statusCode).toBe(404);
    const notification = { method: 'POST', url: '/payments/sandbox/notifications', payload: {} } as const;
    expect((await sandbox.app.inject(notification)).statusCode).toBe(401);
    expect((await none.app.inject(notification)).statusCode).toBe(404);
    const names = (feira: Feira) => listJobs(feira.context.jobs).map(({ name }) => name);
    const missing = names(sandbox).filter((name) => !names(none).includes(name));
    expect(missing).toEqual(['finish refunds', 'send payment notifications']);
  });

  test('an order that was placed while there was a gateway can be neither paid nor refunded', async () => {
    const [unpaid, paid] = [await place(false), await place(true)];
    const visitor = await visitorOf(none);
    const page = await visitor.get(await orderPage(unpaid));
    expect(page.status).toBe(200);
    expect(page.html).not.toContain('Pay now');
    const key = new URL(await orderPage(unpaid), 'http://feira.test').searchParams.get('key')!;
    const sent = await visitor.post(`/s/${visitor.shop.slug}/orders/${unpaid}/pay`, { key });
    expect([sent.status, sent.text]).toEqual([409, expect.stringContaining('This order cannot be paid now')]);
    const refund = await store.through(none).post(`/orders/${paid}/refund`, undefined);
    expect([refund.status, refund.body.code]).toEqual([409, 'no_payment_gateway']);
    expect((await store.post(`/orders/${paid}/refund`, undefined)).status).toBe(200);
  });
});

describe('the notice that payments are simulated', () => {
  const pages = async (feira: Feira, language: string) => {
    const visitor = await visitorOf(feira, { 'accept-language': language });
    const cart = new Map(await (await filled(feira)).cookies);
    for (const [name, value] of cart) visitor.cookies.set(name, value);
    const paths = ['', `/products/${mug}`, '/cart', '/checkout', '/checkout?zip=01001000', '/nowhere'];
    const shop = await Promise.all(paths.map((path) => visitor.at(path)));
    return [...shop, await visitor.get(await orderPage(await place(false)))];
  };
  async function filled(feira: Feira): Promise<Visitor> {
    const visitor = await visitorOf(feira);
    await visitor.add(mug);
    return visitor;
  }

  test('is on the pages of a test shop', async () => {
    for (const { text } of await pages(testShop, 'en'))
      expect(text).toContain('Test shop: payments are simulated');
    for (const { text } of await pages(testShop, 'pt'))
      expect(text).toContain('Loja de teste: os pagamentos são simulados');
  });

  test('is not on the pages of other shops', async () => {
    for (const { text } of await pages(sandbox, 'en')) expect(text).not.toContain('Test shop');
  });
});
