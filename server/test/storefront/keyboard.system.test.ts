import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.js';
import { shopOf } from '../support/buyer.js';
import { newVaried } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { freePort } from '../support/process.js';

const MAX_TABS = 80;

let feira: Feira;
let store: StoreClient;
let address: string;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let page: Page;

beforeAll(async () => {
  const port = await freePort();
  feira = await openFeira({ publicUrl: `http://localhost:${port}` });
  await feira.app.listen({ host: '127.0.0.1', port });
  store = await feira.store();
  address = `http://localhost:${port}/s/${(await shopOf(feira, store)).slug}`;
  await newVaried(store, { P: 3, M: 3 });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.end();
  await feira.close();
});

/** Presses Tab until the element has the focus, as a person without a mouse would. */
async function tabTo(selector: string): Promise<void> {
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    await page.keyboard.press('Tab');
    if ((await page.locator(selector).and(page.locator(':focus')).count()) > 0) return;
  }
  throw new Error(`${selector} did not get the focus after ${MAX_TABS} presses of Tab on ${page.url()}`);
}

/** Follows the focused link or submits the form, and waits for the next page. */
async function pressEnter(expected: RegExp): Promise<void> {
  await page.keyboard.press('Enter');
  await page.waitForURL(expected);
}

test('a purchase needs neither a mouse nor JavaScript', async () => {
  const context = await browser.browser()!.newContext({ javaScriptEnabled: false, locale: 'en-US' });
  page = await context.newPage();
  await page.goto(address);
  await tabTo('main a[href*="/products/"]');
  await pressEnter(/\/products\//);
  await tabTo('main button:has-text("Add to cart")');
  await pressEnter(/\/cart$/);
  await tabTo('button:has-text("Checkout")');
  await pressEnter(/\/checkout/);
  await tabTo('[name=zip]');
  await page.keyboard.type('01001-000');
  await pressEnter(/zip=/);
  for (const [name, text] of Object.entries({
    name: 'Bia Souza',
    email: 'bia@cliente.example',
    phone: '11999990000',
    document: '529.982.247-25',
    street: 'Rua das Flores',
    number: '12',
    district: 'Centro',
  })) {
    await tabTo(`[name=${name}]`);
    await page.keyboard.type(text);
  }
  // A group of radio buttons is a single tab stop. The arrow keys choose within it.
  await tabTo('[name=payment]');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await tabTo('button:has-text("Place order")');
  await pressEnter(/\/sandbox\/pay\//);
  await tabTo('button:text-is("Pay")');
  await pressEnter(/\/s\/.*\/orders\//);
  await page.getByText('Your payment was received.').waitFor();
  const { data } = (await store.get('/orders')).body;
  expect(data).toMatchObject([{ status: 'paid', customer: { name: 'Bia Souza' } }]);
  await context.close();
}, 120_000);
