import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { shopOf, Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { readInterleaved2of5 } from '../support/read-barcode.js';

let feira: Feira;
let store: StoreClient;
let visitor: Visitor;
let mug: string;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  visitor = new Visitor(feira, await shopOf(feira, store));
  mug = await newProduct(store, { name: 'Mug', price: 100, quantity: 100 });
});
afterAll(() => feira.close());

const parts = (payment: string) => {
  const { pathname, searchParams } = new URL(payment, 'http://feira.test');
  return { pathname, key: searchParams.get('key') };
};
const newest = async () => (await store.get('/orders')).body.data[0];

test('the page of a pix payment shows the recipient, the amount, a QR code and its text', async () => {
  const payment = await visitor.buy(mug);
  const { text, html } = await visitor.get(payment);
  expect(text).toContain('Pay to Store 1');
  expect(text).toContain('R$112.75');
  const code = text.match(/000201.*6304[0-9A-F]{4}/)?.[0];
  expect(code).toContain('br.gov.bcb.pix');
  const image = payment.replace('?', '/qr.svg?');
  expect(html).toContain(`src="${image}"`);
  const qr = await visitor.get(image);
  expect(qr.headers['content-type']).toContain('image/svg+xml');
  expect(qr.html).toMatch(/^<svg /);
});

test('the page of a card payment shows the installments, and its form sends no card data', async () => {
  const { text, forms } = await visitor.get(await visitor.buy(mug, { payment: 'card', installments: '5' }));
  expect(text).toContain('5 × R$22.55');
  expect(forms.map(({ fields }) => fields)).toEqual([{ key: expect.any(String) }]);
});

test('installments add up to the total', async () => {
  const { text } = await visitor.get(await visitor.buy(mug, { payment: 'card', installments: '3' }));
  // 37.59 + 2 × 37.58 = 112.75
  expect(text).toContain('1 × R$37.59 + 2 × R$37.58');
});

test('the page of a boleto shows its due date, the digits to type, and a barcode with the same due date and amount', async () => {
  const { text, html } = await visitor.get(await visitor.buy(mug, { payment: 'boleto' }));
  const [, line = '', factor] =
    /(0009\d\.\d{5} \d{5}\.\d{6} \d{5}\.\d{6} \d (\d{4})0000011275)/.exec(text) ?? [];
  const due = Date.parse('2025-02-22') + (Number(factor) - 1000) * 24 * 60 * 60 * 1000;
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(due);
  expect(text).toContain(`Due on ${day}`);
  expect(html).not.toContain('qr.svg');
  const source = (/src="([^"]*barcode\.svg[^"]*)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&');
  const { statusCode, body, headers } = await feira.app.inject(source);
  expect([statusCode, headers['content-type']]).toEqual([200, 'image/svg+xml']);
  expect(readInterleaved2of5(body).slice(5, 19)).toBe(line.slice(-14));
  expect((await feira.app.inject(source.replace(/key=.*/, 'key=x'))).statusCode).toBe(404);
});

test('a completed payment marks the order as paid, and pressing Decline afterwards changes nothing', async () => {
  const payment = await visitor.buy(mug);
  const before = await visitor.get(payment);
  expect((await visitor.settle(payment)).text).toContain('Paid');
  const again = await visitor.press(before, 'Decline');
  expect(again.status).toBe(303);
  expect((await newest()).status).toBe('paid');
  expect((await visitor.get(payment)).text).toContain('This payment is complete.');
  const { id } = await newest();
  const paid = (await feira.events(store.workspaceId)).filter(
    ({ event, data }) => event === 'order.paid' && data.orderId === id,
  );
  expect(paid).toHaveLength(1);
});

test('pressing Decline while a payment is being completed leads back to the order and does not report the payment as declined', async () => {
  const payment = await visitor.buy(mug);
  const before = await visitor.get(payment);
  const { db } = feira.context;
  const holder = await db.store('test').begin();
  const id = parts(payment).pathname.split('/').at(-1)!;
  await holder.query(sql`update sandbox_payments set status = 'paid' where id = ${id}`);
  const declined = visitor.press(before, 'Decline');
  await vi.waitFor(
    async () => {
      const waiting = await db.store('test').query(sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      expect(waiting).toHaveLength(1);
    },
    { timeout: 60_000, interval: 5 },
  );
  await holder.commit();
  const { status, location } = await declined;
  expect([status, location]).toEqual([303, expect.stringContaining('/orders/')]);
  expect(location).not.toContain('payment=declined');
});

test('a declined payment leaves the order unpaid, and the buyer can try again', async () => {
  const payment = await visitor.buy(mug);
  const order = await visitor.settle(payment, 'Decline');
  expect(order.text).toContain('Waiting for payment');
  expect((await visitor.get(payment)).text).toContain('was declined');
  expect((await visitor.settle(payment)).text).toContain('Paid');
});

test('the payment page is in Portuguese for browsers that prefer it', async () => {
  const payment = await visitor.buy(mug);
  const bia = new Visitor(feira, visitor.shop, { 'accept-language': 'pt' });
  expect((await bia.get(payment)).text).toContain('Pagar para Store 1');
});

test('an unknown payment and an invalid decision are rejected', async () => {
  const { pathname, key } = parts(await visitor.buy(mug));
  for (const id of ['x', 'sbx_000000000000000000000000', '%00'])
    for (const path of [`/sandbox/pay/${id}`, `/sandbox/pay/${id}/qr.svg`])
      expect((await visitor.get(path)).status).toBe(404);
  expect((await visitor.post('/sandbox/pay/x', { decision: 'paid' })).status).toBe(404);
  for (const decision of ['', 'open', 'canceled', '\0'])
    expect((await visitor.post(pathname, { key: key!, decision })).status).toBe(400);
  expect((await newest()).status).toBe('pending');
});

test('the transaction id that partners read does not open the payment page', async () => {
  const { key } = parts(await visitor.buy(mug));
  const { id, payment } = await newest();
  const page = `/sandbox/pay/${payment.transactionId}`;
  const { key: otherKey } = parts(await visitor.buy(mug));
  for (const query of ['', '?key=', '?key=x', `?key=${otherKey}`]) {
    expect((await visitor.get(`${page}${query}`)).status).toBe(404);
    expect((await visitor.get(`${page}/qr.svg${query}`)).status).toBe(404);
  }
  for (const fields of [{}, { key: '' }, { key: otherKey! }])
    expect((await visitor.post(page, { decision: 'paid', ...fields })).status).toBe(404);
  expect((await store.get(`/orders/${id}`)).body.status).toBe('pending');
  const record = JSON.stringify((await store.get(`/orders/${id}`)).body);
  expect(record).not.toContain(key);
});

test('the key of a payment page is not logged', async () => {
  const lines: string[] = [];
  const logged = await openFeira({ on: feira, logTo: { write: (line) => void lines.push(line) } });
  const buyer = new Visitor(logged, visitor.shop);
  const payment = await buyer.buy(mug);
  await buyer.get(payment.replace('?', '/qr.svg?'));
  await buyer.settle(payment);
  const log = lines.join('');
  expect(log).toContain(parts(payment).pathname);
  expect(parts(payment).key).toMatch(/^[\w-]{43}$/);
  expect(log).not.toContain(parts(payment).key);
  await logged.close();
});
