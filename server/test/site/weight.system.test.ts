import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setAccentColor } from '../../src/stores/stores.js';
import { openBrowser } from '../support/browser.js';
import { shopOf, TYPED } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira } from '../support/feira.js';
import { recordShifts, shiftsOn, weightOf } from '../support/page-weight.js';
import { freePort, until } from '../support/process.js';

// Tests in Chromium what a visitor's browser loads and shows: pages do not shift while they load, their style sheets
// and scripts stay small, and the cart count and the order total are shown correctly.
const MAX_BYTES = 60_000;
const PICTURES = 'https://pictures.example';
const WIDTHS = [375, 1280];

let feira: Feira;
let origin: string;
let shop: string;
let product: string;
let browser: Awaited<ReturnType<typeof openBrowser>>;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://localhost:${port}`;
  feira = await openFeira({ publicUrl: origin });
  await feira.app.listen({ host: '127.0.0.1', port });
  const store = await feira.store();
  const { slug } = await shopOf(feira, store);
  shop = `${origin}/s/${slug}`;
  await setAccentColor(feira.context.db.system('command').autocommit, store.workspaceId, '4338ca');
  for (let at = 0; at < 12; at++)
    product = await newProduct(store, {
      name: `Mug ${at}`,
      price: 30 + at,
      quantity: 50,
      description: 'Enamel, 300 ml.',
      urlImage: `${PICTURES}/${at}.png`,
    });
  for (const name of ['a', 'b', 'c'])
    await store.post(`/products/${product}/images`, { url: `${PICTURES}/${name}.png` });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.end();
  await feira.close();
});

/** Opens a tab in which pictures arrive only after the document has been parsed, and have an unusual aspect ratio. */
async function open(width: number): Promise<{ context: BrowserContext; page: Page }> {
  const viewport = { width, height: width < 500 ? 812 : 900 };
  const context = await browser.browser()!.newContext({ viewport, locale: 'en-US' });
  await recordShifts(context);
  const page = await context.newPage();
  await context.route(`${PICTURES}/**`, async (route) => {
    await page.waitForLoadState('domcontentloaded').catch(() => {});
    const body =
      '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="700"><rect width="300" height="700"/></svg>';
    await route.fulfill({ contentType: 'image/svg+xml', body });
  });
  return { context, page };
}

async function order(page: Page): Promise<void> {
  for (const name of ['name', 'email', 'phone', 'document', 'street', 'number', 'district', 'city'] as const)
    await page.locator(`#${name}`).fill(TYPED[name]);
  await page.locator('#state').selectOption(TYPED.state);
  await page.getByRole('button', { name: 'Place order' }).click();
}

test.each(WIDTHS)(
  'at a width of %i px, public pages do not shift while they load, and have at most 60 kB of style sheets and scripts',
  async (width) => {
    const { context, page } = await open(width);
    const figures: Record<string, { shift: unknown; sent: number; decoded: number }> = {};
    const measure = async (name: string) => {
      const shift = await shiftsOn(page);
      const { sent, decoded } = await weightOf(page);
      figures[name] = { shift, sent, decoded };
      expect(decoded, `${name}: no style sheets or scripts were measured`).toBeGreaterThan(0);
    };
    const visit = async (name: string, url: string) => {
      await page.goto(url);
      await measure(name);
    };
    await visit('landing', `${origin}/`);
    await visit('docs', `${origin}/docs`);
    await visit('guide', `${origin}/docs/guides/webhooks`);
    await visit('reference', `${origin}/docs/reference/products`);
    await visit('product list', shop);
    await visit('product', `${shop}/products/${product}`);
    await page.getByRole('button', { name: 'Add to cart' }).click();
    await page.waitForURL(/\/cart$/);
    await measure('cart');
    await visit('postal code', `${shop}/checkout`);
    await visit('checkout', `${shop}/checkout?zip=01001000`);
    await order(page);
    await page.waitForURL(/\/sandbox\/pay\//);
    await measure('payment');
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('Your payment was received.').waitFor();
    await measure('order');
    await visit('order search', `${shop}/orders`);
    if (process.env.FIGURES) console.log(width, JSON.stringify(figures));
    for (const [name, { shift, sent, decoded }] of Object.entries(figures)) {
      expect(shift, name).toEqual([]);
      expect(Math.max(sent, decoded), name).toBeLessThanOrEqual(MAX_BYTES);
    }
    await context.close();
  },
  300_000,
);

test('the check detects a page that shifts', async () => {
  const { context, page } = await open(375);
  await page.goto(`${origin}/docs`);
  await page.evaluate(async () => {
    await new Promise((next) => requestAnimationFrame(next));
    document
      .querySelector('main')
      ?.prepend(Object.assign(document.createElement('div'), { innerHTML: '<br>'.repeat(9) }));
  });
  expect(await shiftsOn(page)).not.toEqual([]);
  await context.close();
});

test('a page that the browser restores after Back shows the current number of units in the cart', async () => {
  const keeping = await openBrowser({ keepsPages: true });
  const page = await keeping.newPage();
  await page.goto(`${shop}/products/${product}?lang=en`);
  await page.evaluate(() => Object.assign(globalThis, { isKept: true }));
  const cart = () => page.locator('.cart').textContent();
  expect(await cart()).toBe('Cart0 (0 items)');
  await page.getByLabel('Quantity').fill('2');
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await page.waitForURL(/\/cart$/);
  // goBack() would wait for a new document, but the page is restored from the cache.
  await page.evaluate(() => history.back());
  await until(() => page.url().includes('/products/'));
  await until(async () => (await cart()) === 'Cart2 (2 items)');
  expect(await page.evaluate(() => 'isKept' in globalThis)).toBe(true);
  await keeping.end();
});

test('the checkout shows exactly one total before its delivery options have arrived', async () => {
  const { context, page } = await open(375);
  await page.goto(`${shop}/products/${product}`);
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await page.waitForURL(/\/cart$/);
  await context.route(`${shop}/checkout?zip=01001000`, async (route) => {
    const response = await route.fetch();
    const [arrived = ''] = (await response.text()).split('name="delivery"');
    await route.fulfill({ response, body: arrived });
  });
  await page.goto(`${shop}/checkout?zip=01001000`);
  const totals = page.locator('summary strong');
  expect(await totals.count()).toBe(2);
  expect(await totals.filter({ visible: true }).count()).toBe(1);
  await context.close();
});
