import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Notification } from '../../src/payments/gateway.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { formOf, Merchant, openStore } from '../support/merchant.js';
import { sendNotification } from '../support/notifications.js';
import { order } from '../support/shop.js';

const PAGE = '/console/payments';
const BIA = 'bia@loja.example';

let feira: Feira;
let store: StoreClient;
let ana: Merchant;
let productId: string;
let orderId: string;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  productId = (await store.post('/products', { name: 'Mug', price: 50, quantity: 100 })).body.id;
  await openStore(feira, { name: 'Loja da Bia', email: BIA });
  ana = new Merchant(feira.app);
  await ana.signIn('owner@store.example', 'correct horse');
});
afterAll(() => feira.close());
beforeEach(async () => {
  const line = { productId, variantId: null, quantity: 1 };
  orderId = await order(feira, store.workspaceId, line, { pay: false });
});

async function notify(change: Partial<Notification>): Promise<void> {
  const { payment, total } = (await store.get(`/orders/${orderId}`)).body;
  const { transactionId } = payment;
  const { workspaceId } = store;
  const whole = {
    id: randomUUID(),
    type: 'paid' as const,
    workspaceId,
    orderId,
    transactionId,
    amount: total,
  };
  expect(await sendNotification(feira, { ...whole, refundedInAll: 0, ...change })).toBe(200);
}

async function checkAll(): Promise<void> {
  for (let page = await ana.get(PAGE); page.text.includes('Mark as checked'); page = await ana.get(PAGE))
    expect((await ana.press(page, 'Mark as checked')).location).toBe(PAGE);
}

test('a payment that matches its order needs no check', async () => {
  await checkAll();
  await notify({});
  expect((await ana.get(PAGE)).text).toContain('There is nothing to check.');
  expect((await ana.get('/console/apps')).text).not.toContain('do not match its orders');
});

test('the merchant sees a payment of a wrong amount with its order, and what to do', async () => {
  await checkAll();
  const { number } = (await store.get(`/orders/${orderId}`)).body;
  await notify({ amount: 12.5 });
  const { text } = await ana.get(PAGE);
  expect(text).toContain(`Order ${number}`);
  expect(text).toContain('Amount: R$12.50 · Order total: R$62.75');
  expect(text).toContain('the order stays unpaid: refund the amount at the provider');
  expect((await ana.get('/console/apps')).text).toContain(
    'Some payments of this store do not match its orders.',
  );
});

test('the Portuguese page lists a second payment of an order and a payment of an unknown order', async () => {
  await checkAll();
  await notify({});
  await notify({ transactionId: 'other' });
  await notify({ orderId: randomUUID(), transactionId: 'lost' });
  const portuguese = new Merchant(feira.app, { 'accept-language': 'pt-BR' });
  for (const [name, value] of ana.cookies) portuguese.cookies.set(name, value);
  const { text } = await portuguese.get(PAGE);
  expect(text).toContain('O pedido foi pago duas vezes. Reembolse este pagamento no provedor.');
  expect(text).toContain('Pedido desconhecido');
});

test.each([
  ['en', 'Refund it', 'still marked as paid', 'refunded yet, refund it', 'The order was not changed'],
  ['pt-BR', 'Reembolse-o', 'continua marcado', 'reembolsado, reembolse-o', 'O pedido não foi alterado'],
])(
  'a canceled payment of an unknown or refunded order is explained correctly in %s',
  async (language, ...texts) => {
    await checkAll();
    await notify({});
    await notify({ type: 'refunded', refundedInAll: 62.75 });
    expect((await store.get(`/orders/${orderId}`)).body.status).toBe('refunded');
    await notify({ type: 'canceled' });
    await notify({ type: 'canceled', orderId: randomUUID(), transactionId: 'lost' });
    const reader = new Merchant(feira.app, { 'accept-language': language });
    for (const [name, value] of ana.cookies) reader.cookies.set(name, value);
    const { text } = await reader.get(PAGE);
    expect(texts.map((each) => text.includes(each))).toEqual([false, false, true, true]);
  },
);

test('a payment that was checked is no longer listed, but the others still are', async () => {
  await checkAll();
  await notify({});
  await notify({ transactionId: 'second' });
  await notify({ transactionId: 'third' });
  const page = await ana.get(PAGE);
  const form = page.forms.find(({ fields }) => fields.payment !== undefined)!;
  await ana.post(form.action, form.fields);
  const after = await ana.get(PAGE);
  expect(after.forms.filter(({ fields }) => fields.payment !== undefined)).toHaveLength(1);
  expect(after.forms.some(({ fields }) => fields.payment === form.fields.payment)).toBe(false);
});

test('only the owner of a store sees and checks its payments', async () => {
  await checkAll();
  await notify({ amount: 1 });
  const bia = new Merchant(feira.app);
  await bia.signIn(BIA);
  expect((await bia.get(PAGE)).text).toContain('There is nothing to check.');
  const form = formOf(await ana.get(PAGE), 'Mark as checked');
  expect((await bia.post(form.action, form.fields)).status).toBe(403);
  expect((await ana.get(PAGE)).text).toContain('Mark as checked');
  expect((await new Merchant(feira.app).get(PAGE)).location).toBe('/sign-in?next=%2Fconsole%2Fpayments');
});
