import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { PUBLIC_FOLDER } from '../../src/platform/html/assets.js';
import { openShop, Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';
import { order } from '../support/shop.js';

let feira: Feira;
let store: StoreClient;
let visitor: Visitor;
let mug: string;

beforeAll(async () => {
  feira = await sharedFeira();
});
beforeEach(async () => {
  ({ store, visitor } = await openShop(feira));
  mug = await newProduct(store, { name: 'Mug', price: 30, quantity: 4 });
});

/** Sends a conditional request, like a browser that has cached the page. */
const asked = (path: string, etag: string, headers = {}) =>
  feira.app.inject({
    url: `/s/${visitor.shop.slug}${path}`,
    headers: { 'if-none-match': etag, 'accept-language': 'en', ...headers },
  });

test('a visitor without a cart gets pages with an ETag and no cookie, and a 304 if the cached page is up to date', async () => {
  for (const path of ['', '?sort=price', `/products/mug-${mug}`]) {
    const page = await visitor.at(path);
    expect(page.headers['cache-control'], path).toBe('no-cache');
    expect(page.headers.vary, path).toContain('cookie');
    expect(page.headers['set-cookie'], path).toBeUndefined();
    const etag = page.headers.etag as string;
    const again = await asked(path, etag);
    expect([again.statusCode, again.body], path).toEqual([304, '']);
    expect((await asked(path, '"other"')).statusCode, path).toBe(200);
    expect((await asked(path, etag, { 'accept-language': 'pt' })).statusCode, path).toBe(200);
  }
});

test('the product list and the product page show every change to a product immediately', async () => {
  const product = `/products/mug-${mug}`;
  const changes: [change: () => Promise<unknown>, list: string, page: string][] = [
    [() => store.patch(`/products/${mug}`, { price: 31 }), 'R$31.00', 'R$31.00'],
    [() => store.patch(`/products/${mug}/stock`, { quantity: 2 }), 'Last 2', 'Last 2'],
    [
      () => order(feira, store.workspaceId, { productId: mug, variantId: null, quantity: 1 }),
      'Last one',
      'Last one',
    ],
    [
      () => store.post(`/products/${mug}/images`, { url: 'https://img.example/mug.jpg' }),
      'https://img.example/mug.jpg',
      'https://img.example/mug.jpg',
    ],
    [
      () =>
        store.put(`/products/${mug}/variants`, {
          types: [{ name: 'Size', options: ['S', 'L'] }],
          combinations: [
            { combination: 'S', sku: 'S', price: 12, quantity: 1 },
            { combination: 'L', sku: 'L', price: 13, quantity: 1 },
          ],
        }),
      'R$12.00',
      'R$12.00',
    ],
    [
      () => store.patch(`/products/${mug}/variants`, { variants: [{ sku: 'S', price: 11 }] }),
      'R$11.00',
      'R$11.00',
    ],
    [() => store.patch(`/products/${mug}/variants/S/stock`, { quantity: 0 }), 'Last one', 'sold out'],
    [() => store.patch(`/products/${mug}`, { name: 'Cup' }), '<h2>Cup</h2>', '<h1>Cup</h1>'],
  ];
  for (const [change, list, page] of changes) {
    // Before the change, the second read of each page caches it, and the third is answered from the cache.
    for (let time = 0; time < 3; time++) await Promise.all([visitor.at(), visitor.at(product)]);
    await change();
    expect((await visitor.at()).html, list).toContain(list);
    expect((await visitor.at(product)).html, page).toContain(page);
  }
  await store.delete(`/products/${mug}`);
  expect((await visitor.at()).text).toContain('no products yet');
  expect((await visitor.at(product)).status).toBe(404);
});

test('a page shows the number of units in the cart of its visitor, not of other visitors', async () => {
  const other = new Visitor(feira, visitor.shop);
  for (let time = 0; time < 2; time++) await other.at();
  await visitor.add(mug, { quantity: '3' });
  const own = await visitor.at();
  expect(own.text).toContain('Cart 3');
  expect(own.headers['cache-control']).toBe('no-store');
  expect((await other.at()).text).not.toContain('Cart 3');
});

test('a cached page of one shop is not shown in another', async () => {
  const { visitor: elsewhere } = await openShop(feira);
  for (let time = 0; time < 2; time++) await visitor.at();
  expect((await elsewhere.at()).text).toContain('no products yet');
  expect((await elsewhere.at(`/products/mug-${mug}`)).status).toBe(404);
});

test('a form from another origin cannot add to the cart; a form from the same origin and a client that is not a browser can', async () => {
  const send = (headers: Record<string, string>) =>
    feira.app.inject({
      method: 'POST',
      url: `/s/${visitor.shop.slug}/cart`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'feira.test', ...headers },
      payload: `product=${mug}&variant=&quantity=1`,
    });
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'http://feira.test' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ] as Record<string, string>[]) {
    const { statusCode, headers: answer } = await send(headers);
    expect([statusCode, answer['set-cookie']], JSON.stringify(headers)).toEqual([403, undefined]);
  }
  for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, { origin: 'http://feira.test' }] as Record<
    string,
    string
  >[])
    expect((await send(headers)).statusCode, JSON.stringify(headers)).toBe(303);
});

test('a shop has one style sheet with its version in the address, and browsers may cache it', async () => {
  const { html } = await visitor.at();
  const urls = [...html.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, url]) => url as string);
  expect(urls).toEqual([expect.stringMatching(/^\/assets\/shop\.css\?v=[\w-]{12}$/)]);
  const [url = ''] = urls;
  const { statusCode, headers, body } = await feira.app.inject(url);
  expect([statusCode, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
  for (const file of ['tokens.css', ...readdirSync(`${PUBLIC_FOLDER}shop`).map((name) => `shop/${name}`)])
    expect(body, file).toContain(readFileSync(`${PUBLIC_FOLDER}${file}`, 'utf8'));
  const stale = await feira.app.inject(url.replace(/.$/, '~'));
  expect([stale.statusCode, stale.headers['cache-control']]).toEqual([200, 'public, max-age=3600']);
});
