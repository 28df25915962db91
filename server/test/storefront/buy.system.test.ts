import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startWorker, type Worker } from '../../src/worker.js';
import { accessibilityFaults } from '../support/accessibility.js';
import { openBrowser } from '../support/browser.js';
import { shopOf } from '../support/buyer.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { addProducts, openSession } from '../support/illustrated-shop.js';
import { freePort, until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';

// These tests place orders as a buyer does, in a real Chromium and over a real socket, while an integrator receives the
// webhooks.
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

let feira: Feira;
let worker: Worker;
let receiver: Receiver;
let store: StoreClient;
let address: string;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let page: Page;

beforeAll(async () => {
  const port = await freePort();
  feira = await openFeira({ publicUrl: `http://localhost:${port}` });
  await feira.app.listen({ host: '127.0.0.1', port });
  worker = startWorker(feira.context);
  receiver = await Receiver.open();
  store = await feira.store();
  address = `http://localhost:${port}/s/${(await shopOf(feira, store)).slug}`;
  await addProducts(store);
  await store.post('/webhooks', { url: receiver.url, events: ['order.created', 'order.paid'] });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.end();
  await worker.stop();
  await receiver.close();
  await feira.close();
});
beforeEach(() => {
  receiver.received.length = 0;
});

async function look(name: string): Promise<void> {
  await page.evaluate('scrollTo(0, 0)');
  if (process.env.SCREENSHOTS)
    await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png`, fullPage: true });
  expect(await accessibilityFaults(page), name).toEqual([]);
  const wider = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(wider, `${name} is wider than the screen`).toBe(0);
}

async function lastOrder() {
  const { data } = (await store.get('/orders')).body as { data: Record<string, never>[] };
  return data[0] as unknown as {
    id: string;
    status: string;
    total: number;
    items: { combination: string }[];
  };
}

test('a buyer on a desktop computer chooses a variation, checks out and pays by card', async () => {
  const desk = await openSession(browser, { viewport: DESKTOP, locale: 'en-US' });
  page = await desk.newPage();
  await page.goto(address);
  await look('desk-list');
  await page.getByRole('link', { name: /Camiseta/ }).click();
  await page.getByRole('link', { name: 'M', exact: true }).click();
  await page.getByRole('link', { name: 'Branca', exact: true }).click();
  await look('desk-product');
  await page.getByLabel('Quantity').fill('2');
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await look('desk-cart');
  await page.getByRole('button', { name: 'Checkout' }).click();
  await page.getByLabel('CEP').fill('30130-010');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Place order' }).click();
  await page.getByText('Check 7 fields.').waitFor();
  await look('desk-faults');
  await fillIn({
    name: 'Full name',
    email: 'E-mail',
    phone: 'Phone',
    street: 'Street',
    number: 'Number',
    district: 'District',
    city: 'City',
    state: 'State',
  });
  await page.getByRole('radio', { name: /Express/ }).check();
  await page.getByRole('radio', { name: /Credit card/ }).check();
  await page.getByLabel('Installments', { exact: true }).selectOption('3');
  await look('desk-checkout');
  await page.getByRole('button', { name: 'Place order' }).click();
  await page.getByRole('heading', { name: 'Payment' }).waitFor();
  await look('desk-card');
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.getByText('Your payment was received.').waitFor();
  const order = await lastOrder();
  await store.post('/shipments', { orderId: order.id });
  for (const statusShipping of ['sent', 'in_transit'])
    await store.patch(`/orders/${order.id}/shipping-status`, { statusShipping });
  await page.reload();
  await look('desk-order');
  expect(order).toMatchObject({ status: 'paid', items: [{ combination: 'M - Branca', quantity: 2 }] });
  await until(() => receiver.bodies('order.paid').length === 1);
  expect(
    receiver
      .bodies()
      .map(({ event, data }) => [event, data.orderId])
      .sort(),
  ).toEqual([
    ['order.created', order.id],
    ['order.paid', order.id],
  ]);
  await desk.close();
}, 120_000);

test('a buyer on a phone checks out in Portuguese and pays by Pix on the second attempt', async () => {
  const phone = await openSession(browser, { viewport: PHONE, locale: 'pt-BR' });
  page = await phone.newPage();
  await page.goto(address);
  await look('phone-list');
  await page.getByRole('link', { name: 'Moda' }).click();
  await look('phone-category');
  await page.getByRole('link', { name: /Camiseta/ }).click();
  await page.getByRole('link', { name: /^G / }).click();
  await look('phone-product');
  await page.getByRole('link', { name: /^Branca/ }).click();
  await page.getByRole('button', { name: 'Adicionar ao carrinho' }).click();
  await look('phone-cart');
  await page.getByRole('button', { name: 'Finalizar compra' }).click();
  await look('phone-cep');
  await page.getByLabel('CEP').fill('30130-010');
  await page.getByRole('button', { name: 'Continuar' }).click();
  await fillIn({
    name: 'Nome completo',
    email: 'E-mail',
    phone: 'Telefone',
    street: 'Rua',
    number: 'Número',
    district: 'Bairro',
    city: 'Cidade',
    state: 'Estado',
  });
  await look('phone-checkout');
  await page.getByRole('button', { name: 'Fazer pedido' }).click();
  await page.getByRole('heading', { name: 'Pagamento' }).waitFor();
  await look('phone-pix');
  await page.getByRole('button', { name: 'Recusar' }).click();
  await page.getByText('Aguardando pagamento').waitFor();
  await look('phone-waiting');
  await page.getByRole('button', { name: 'Pagar agora' }).click();
  await page.getByRole('button', { name: 'Pagar' }).click();
  await page.getByText('Seu pagamento foi recebido.').waitFor();
  await look('phone-order');
  const order = await lastOrder();
  expect(order).toMatchObject({ status: 'paid', items: [{ combination: 'G - Branca' }] });
  await until(() => receiver.bodies('order.paid').length === 1);
  await phone.close();
}, 120_000);

async function fillIn(labels: Record<string, string>): Promise<void> {
  const field = (name: string) => page.getByLabel(labels[name] as string, { exact: true });
  await field('name').fill('Bia Souza');
  await field('email').fill('bia@cliente.example');
  await field('phone').fill('(11) 99999-0000');
  await page.getByLabel(/^CPF/).fill('529.982.247-25');
  await field('street').fill('Rua das Flores');
  await field('number').fill('120');
  await field('district').fill('Centro');
  await field('city').fill('Belo Horizonte');
  await field('state').selectOption('MG');
}
