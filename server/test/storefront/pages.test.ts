import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openShop, type Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;
let visitor: Visitor;

beforeAll(async () => {
  feira = await sharedFeira();
});
beforeEach(async () => {
  ({ store, visitor } = await openShop(feira));
});

describe('the product list', () => {
  test('has a strict Content-Security-Policy and shows all products, newest first, with their prices, and with their stock if it is low', async () => {
    await newProduct(store, { name: 'Mug', price: 34.9, quantity: 40 });
    await newProduct(store, { name: 'Plate', price: 20, quantity: 2 });
    await newProduct(store, { name: 'Vase', price: 1234.5, quantity: 0 });
    const { status, text, headers } = await visitor.at();
    expect(status).toBe(200);
    expect(text).toMatch(/Vase R\$1,234\.50 Sold out .*Plate R\$20\.00 Last 2 .*Mug R\$34\.90/);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' https: http:; form-action 'self' http://feira.test; base-uri 'none'; frame-ancestors 'none'",
    );
  });

  test('strikes the price through if the promotional price is lower, also for variations', async () => {
    await newProduct(store, { name: 'Mug', price: 30, priceDiscount: 25 });
    await newProduct(store, { name: 'Bowl', price: 30, priceDiscount: 31 });
    const shirt = await newProduct(store, { name: 'Shirt', price: 80, priceDiscount: 60 });
    await store.put(`/products/${shirt}/variants`, {
      types: [{ name: 'Size', options: ['S', 'L'] }],
      combinations: [
        { combination: 'S', price: 70, quantity: 1 },
        { combination: 'L', price: 90, quantity: 1 },
      ],
    });
    const { html } = await visitor.at();
    const struck = [...html.matchAll(/<s>(.*?)<\/s>/g)].map(([, price]) => price);
    expect(struck).toEqual(['R$70.00', 'R$30.00']);
    expect(html).not.toContain('<small>from');
  });

  test('shows the lowest price of a product whose variations have different prices', async () => {
    const shirt = await newProduct(store, { name: 'Shirt', price: 80 });
    await store.put(`/products/${shirt}/variants`, {
      types: [{ name: 'Size', options: ['S', 'L'] }],
      combinations: [
        { combination: 'S', price: 70, quantity: 10 },
        { combination: 'L', price: 90, quantity: 10 },
      ],
    });
    expect((await visitor.at()).text).toContain('from R$70.00');
  });

  test('is searched without regard to case and accents', async () => {
    await newProduct(store, { name: 'Café em Grãos' });
    await newProduct(store, { name: 'Mug' });
    const { text } = await visitor.at('?q=CAFE');
    expect(text).toContain('1 product for “CAFE”');
    expect(text).not.toContain('Mug');
    expect((await visitor.at('?q=nothing-like-it')).text).toContain('No products for “nothing-like-it”');
  });

  test('is filtered by category, including its subcategories', async () => {
    await newProduct(store, { name: 'Dress', categoryId: 2 });
    await newProduct(store, { name: 'Boots', categoryId: 5 });
    await newProduct(store, { name: 'Novel', categoryId: 21 });
    const fashion = await visitor.at('?category=1');
    expect(fashion.text).toMatch(/Boots.*Dress/);
    expect(fashion.text).not.toContain('Novel');
    expect(fashion.text).toContain("Women's Clothing");
    expect((await visitor.at('?category=2')).text).not.toContain('Boots');
    expect((await visitor.at('?category=8')).text).not.toContain('Novel');
  });

  test('is paged, and a page beyond the last is not found', async () => {
    for (let at = 1; at <= 25; at++) await newProduct(store, { name: `Thing ${at}` });
    const first = await visitor.at();
    expect(first.text).toContain('Page 1 of 2 Next');
    expect(first.html.match(/class="product-card"/g)).toHaveLength(24);
    const second = await visitor.at('?page=2');
    expect(second.text).toContain('Previous Page 2 of 2');
    expect(second.html.match(/class="product-card"/g)).toHaveLength(1);
    expect((await visitor.at('?page=3')).status).toBe(404);
    expect((await visitor.at('?page=99999')).status).toBe(404);
  });

  test('responds with 200 to unusual and invalid values for the search, sort order, filters and page', async () => {
    await newProduct(store);
    for (const query of [
      'q=%00',
      'q=%25',
      'q=%ED%A0%80',
      'sort=x',
      'min=-1&max=%00',
      'stock=x',
      'page=-1',
      'page=1e9',
      'q=%F0',
      `q=${'x'.repeat(5000)}`,
    ])
      expect((await visitor.at(`?${query}`)).status, query).toBe(200);
  });

  test('of an empty shop says that there are no products yet', async () => {
    expect((await visitor.at()).text).toContain('no products yet');
  });
});

test('the address of an unknown shop returns 404 and a page that says so', async () => {
  for (const slug of ['unknown', '%00', 'Store-1', '%F0%9F%91%95', 'x'.repeat(2000)]) {
    const { status, text, headers } = await visitor.get(`/s/${slug}`);
    expect(status, slug).toBe(404);
    expect(text).toContain('Shop not found');
    expect(headers['content-type']).toContain('text/html');
  }
});

test('a path that ends with a slash redirects to the one without it', async () => {
  for (const path of ['', '/cart', '/orders'])
    expect(await visitor.get(`/s/${visitor.shop.slug}${path}/?q=x`)).toMatchObject({
      status: 301,
      location: `/s/${visitor.shop.slug}${path}?q=x`,
    });
});
