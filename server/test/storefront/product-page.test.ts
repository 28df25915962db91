import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openShop, type Visitor } from '../support/buyer.js';
import { newProduct, newVaried } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

const SCRIPT = `<script>alert("1")</script><img src=x onerror='alert(2)'>`;

let feira: Feira;
let store: StoreClient;
let visitor: Visitor;

beforeAll(async () => {
  feira = await sharedFeira();
});
beforeEach(async () => {
  ({ store, visitor } = await openShop(feira));
});

describe('a product', () => {
  test('shows the price and stock of the variation that the chosen options select', async () => {
    const id = await newProduct(store, { name: 'Shirt', price: 80, priceDiscount: 75 });
    const { body } = await store.put(`/products/${id}/variants`, {
      types: [
        { name: 'Size', options: ['S', 'L'] },
        { name: 'Color', options: ['Red', 'Blue'] },
      ],
      combinations: [
        { combination: 'S - Red', price: 70, quantity: 0 },
        { combination: 'S - Blue', price: 70, quantity: 3 },
        { combination: 'L - Red', price: 90, quantity: 20 },
      ],
    });
    const [, smallBlue, largeRed] = body.data as { id: string }[];
    const first = await visitor.at(`/products/${id}`);
    expect(first.text).toMatch(/R\$70\.00 .*Size S L \(?.*Last 3/);
    expect(first.html).not.toContain('<s>');
    expect(first.html).toContain(`name="variant" value="${smallBlue!.id}"`);
    const large = await visitor.at(`/products/${id}?v=${largeRed!.id}`);
    expect(large.html).toMatch(/<s>R\$90\.00<\/s>.*<strong>R\$75\.00<\/strong>/s);
    expect(large.text).toContain('In stock');
    // From L - Red, choosing S leads to S - Red, which keeps the color. Choosing blue leads to S - Blue, the only blue
    // variation.
    expect(large.text).toContain('S (sold out)');
    expect(large.html).toContain(`href="?v=${smallBlue!.id}#options"`);
  });

  test('shows the discount, the card installments and the cost of delivery', async () => {
    const id = await newProduct(store, {
      name: 'Lamp',
      price: 200,
      priceDiscount: 150,
      quantity: 9,
      weight: 1,
    });
    expect((await visitor.at()).text).toContain('25% off');
    const { text, html } = await visitor.at(`/products/${id}?zip=01001-000`);
    expect(text).toContain('25% off');
    expect(text).toContain('or up to 12× R$12.50 by card');
    expect(text).toMatch(/Economy \d+ business days? R\$/);
    expect(html).toContain(
      `<link rel="canonical" href="http://feira.test/s/${visitor.shop.slug}/products/lamp-${id}"/>`,
    );
    const [, data] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(data!)).toMatchObject({
      name: 'Lamp',
      offers: { price: '150.00', priceCurrency: 'BRL' },
    });
    expect((await visitor.at(`/products/${id}?zip=123`)).text).toContain('Enter a CEP with 8 digits.');
  });

  test('cannot inject a script into the page through its structured data', async () => {
    const id = await newProduct(store, {
      name: `${SCRIPT} x`,
      description: '</script><script>alert(3)</script>',
    });
    const { html } = await visitor.at(`/products/${id}`);
    expect(html.match(/<script(?! src="\/assets\/shop\.js)/g)).toHaveLength(1);
    expect(html).not.toContain('<script>');
  });

  test('that is sold out cannot be added to the cart', async () => {
    const { text, forms } = await visitor.at(`/products/${await newVaried(store, { S: 0, L: 0 })}`);
    expect(text).toContain('Sold out');
    expect(forms.some(({ buttons }) => 'Add to cart' in buttons)).toBe(false);
  });

  test('shows its images, or its urlImage when it has none', async () => {
    const id = await newProduct(store, { urlImage: 'http://pictures.example/own.png' });
    expect((await visitor.at(`/products/${id}`)).html).toContain('src="http://pictures.example/own.png"');
    expect((await visitor.at()).html).toContain('src="http://pictures.example/own.png"');
    await store.post(`/products/${id}/images`, { url: 'https://cdn.example/a.png' });
    await store.post(`/products/${id}/images`, { url: 'https://cdn.example/b.png' });
    const { html } = await visitor.at(`/products/${id}`);
    expect([...html.matchAll(/<img src="(.*?)"/g)].map(([, url]) => url)).toEqual([
      'https://cdn.example/a.png',
      'https://cdn.example/b.png',
      'https://cdn.example/a.png',
      'https://cdn.example/b.png',
    ]);
    expect((await visitor.at()).html).toContain('src="https://cdn.example/a.png"');
  });

  test('that is unknown or belongs to another shop is not found', async () => {
    const other = await newProduct(await feira.store());
    for (const id of [other, 'x', '%00', '0192aaaa-0000-7000-8000-000000000000', 'x'.repeat(3000)]) {
      const { status, text } = await visitor.at(`/products/${id}`);
      expect(status).toBe(404);
      expect(text).toContain('Page not found');
    }
    expect((await visitor.at('/nowhere/at/all')).status).toBe(404);
  });
});

test("a merchant's text is escaped in lists, on product pages, in the cart and in the checkout", async () => {
  const id = await newProduct(store, { name: SCRIPT, description: SCRIPT, quantity: 5 });
  const varied = await newProduct(store, { name: 'Shirt' });
  await store.put(`/products/${varied}/variants`, {
    types: [{ name: SCRIPT, options: [SCRIPT] }],
    combinations: [{ options: [SCRIPT], quantity: 3 }],
  });
  await visitor.add(id);
  await visitor.add(varied);
  for (const path of [
    `/products/${id}`,
    `/products/${varied}`,
    '',
    `?q=${encodeURIComponent(SCRIPT)}`,
    '/cart',
    '/checkout?zip=01001000',
  ]) {
    const { html, status } = await visitor.at(path);
    expect(status, path).toBe(200);
    // Besides our own script, a page may contain structured data, which browsers do not execute.
    expect(html, path).not.toMatch(/<script(?! type="application\/ld\+json">| src="\/assets\/shop\.js)/);
    expect(html, path).not.toContain('<img src=x');
    expect(html, path).toContain('&lt;script');
  }
});
