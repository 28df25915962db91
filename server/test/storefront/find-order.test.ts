import { afterAll, beforeAll, expect, test } from 'vitest';
import { openShop, shopOf, TYPED, Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';

let feira: Feira;
let store: StoreClient;
let visitor: Visitor;
let number: string;

beforeAll(async () => {
  feira = await openFeira();
  ({ store, visitor } = await openShop(feira));
  await visitor.buy(await newProduct(store, { name: 'Mug', quantity: 10 }));
  number = String((await store.get('/orders')).body.data[0].number);
});
afterAll(() => feira.close());

/** Returns a visitor with this IP address. Attempts are limited per network, so each test uses its own addresses. */
const from = (address: string) => new Visitor(feira, visitor.shop, {}, address);
const look = async (by: Visitor, typed: { number: string; email: string }) =>
  by.press(await by.at('/orders'), 'Find order', typed);

test('an order is found by its number, with or without #, and its e-mail in upper or lower case', async () => {
  const buyer = from('10.1.0.1');
  for (const typed of [
    { number, email: TYPED.email },
    { number: `#${number} `, email: ` ${TYPED.email.toUpperCase()}` },
  ]) {
    const found = await look(buyer, typed);
    expect(found.status, found.text).toBe(303);
    const { pathname, search } = new URL(found.location as string);
    expect((await buyer.get(pathname + search)).text).toContain(`Order ${number}`);
  }
});

test('a wrong number, a wrong e-mail, malformed input and the order of another shop get the same answer', async () => {
  const buyer = from('10.1.0.2');
  const elsewhere = new Visitor(feira, await shopOf(feira, await feira.store()), {}, '10.1.0.2');
  const answers = [
    await look(buyer, { number: '999999', email: TYPED.email }),
    await look(buyer, { number, email: 'someone@else.example' }),
    await look(elsewhere, { number, email: TYPED.email }),
    await look(buyer, { number: '', email: '' }),
    await look(buyer, { number: `${number}' or 1=1`, email: '%00' }),
    await look(buyer, { number: '9'.repeat(15), email: `${TYPED.email}\0` }),
  ];
  for (const { status, text } of answers) {
    expect(status).toBe(422);
    expect(text).toContain('No order has this number and e-mail. Check both and try again.');
  }
});

test('attempts to find an order are limited per network, and per e-mail across networks', async () => {
  feira.clock.stop();
  const guess = (address: string, email: string) => look(from(address), { number: '1', email });
  for (let at = 0; at < 10; at++) expect((await guess('10.1.1.1', `${at}@x.example`)).status).toBe(422);
  const refused = await guess('10.1.1.1', 'eleven@x.example');
  expect([refused.status, Number(refused.headers['retry-after'])]).toEqual([429, 600]);
  expect(refused.text).toContain('Too many attempts.');
  for (let at = 0; at < 20; at++) expect((await guess(`10.2.${at}.1`, 'a@x.example')).status).toBe(422);
  expect((await guess('10.3.0.1', 'A@X.example')).status).toBe(429);
  feira.clock.forward(10 * 60_000);
  expect((await guess('10.1.1.1', 'a@x.example')).status).toBe(422);
});

test('the product list and the page of an unknown order link to the form that finds an order', async () => {
  expect((await visitor.at()).html).toContain(`href="/s/${visitor.shop.slug}/orders"`);
  const missing = await visitor.at('/orders/x?key=y');
  expect(missing.status).toBe(404);
  expect(missing.html).toContain(`class="button" href="/s/${visitor.shop.slug}/orders"`);
});
