import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Shop } from '../../src/stores/queries.js';
import { localPath, shopOf, Visitor } from '../support/buyer.js';
import { newProduct, newVaried } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

const SCRIPT = `<script>alert("1")</script><img src=x onerror='alert(2)'>`;

let feira: Feira;
let store: StoreClient;
let shop: Shop;
let visitor: Visitor;

beforeAll(async () => {
  feira = await sharedFeira();
});
beforeEach(async () => {
  store = await feira.store();
  shop = await shopOf(feira, store);
  visitor = new Visitor(feira, shop);
});

describe('the product list', () => {
  test('shows all products, newest first, with the price and a low stock', async () => {
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

  test('strikes the price through where a promotion is lower, for variations too', async () => {
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

  test('ignores invalid values for the search, sort order, filters and page', async () => {
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

  test('of an empty shop says so', async () => {
    expect((await visitor.at()).text).toContain('no products yet');
  });
});

describe('a product', () => {
  test('is chosen by its options, with the price and stock of the choice', async () => {
    const id = await newProduct(store, { name: 'Shirt', price: 80, priceDiscount: 75 });
    const { body } = await store.put(`/products/${id}/variants`, {
      types: [
        { name: 'Size', options: ['S', 'L'] },
        { name: 'Colour', options: ['Red', 'Blue'] },
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
    // From L - Red, choosing S leads to S - Red, which keeps the colour. Choosing blue leads to S - Blue, the only blue
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
      `<link rel="canonical" href="http://feira.test/s/${shop.slug}/products/lamp-${id}"/>`,
    );
    const [, data] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(data!)).toMatchObject({
      name: 'Lamp',
      offers: { price: '150.00', priceCurrency: 'BRL' },
    });
    expect((await visitor.at(`/products/${id}?zip=123`)).text).toContain('Enter a CEP with 8 digits.');
  });

  test('cannot break out of the block of its structured data', async () => {
    const id = await newProduct(store, {
      name: `${SCRIPT} x`,
      description: '</script><script>alert(3)</script>',
    });
    const { html } = await visitor.at(`/products/${id}`);
    expect(html.match(/<script(?! src="\/assets\/shop\.js)/g)).toHaveLength(1);
    expect(html).not.toContain('<script>');
  });

  test('that is sold out cannot be added', async () => {
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

  test('of another shop, or an unknown one, is not found', async () => {
    const other = await newProduct(await feira.store());
    for (const id of [other, 'x', '%00', '0192aaaa-0000-7000-8000-000000000000', 'x'.repeat(3000)]) {
      const { status, text } = await visitor.at(`/products/${id}`);
      expect(status).toBe(404);
      expect(text).toContain('Page not found');
    }
    expect((await visitor.at('/nowhere/at/all')).status).toBe(404);
  });
});

test("a merchant's text is escaped wherever it appears", async () => {
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
    // Besides our own script, a page contains structured data, which browsers do not execute.
    expect(html, path).not.toMatch(/<script(?! type="application\/ld\+json">| src="\/assets\/shop\.js)/);
    expect(html, path).not.toContain('<img src=x');
    expect(html, path).toContain('&lt;script');
  }
});

test('an address without a shop shows a page that says so', async () => {
  for (const slug of ['unknown', '%00', 'Store-1', '%F0%9F%91%95', 'x'.repeat(2000)]) {
    const { status, text, headers } = await visitor.get(`/s/${slug}`);
    expect(status, slug).toBe(404);
    expect(text).toContain('Shop not found');
    expect(headers['content-type']).toContain('text/html');
  }
});

test('a shop is in Portuguese or English, whichever the browser prefers', async () => {
  const id = await newProduct(store, { name: 'Mug', price: 1234.5, quantity: 1, categoryId: 15 });
  await newProduct(store, { name: 'Dress', categoryId: 2 });
  const bia = new Visitor(feira, shop, { 'accept-language': 'pt-BR,pt;q=0.9,en;q=0.5' });
  const page = await bia.at(`/products/${id}`);
  expect(page.html).toContain('<html lang="pt-BR">');
  expect(page.text.replaceAll('\u00a0', ' ')).toContain('R$ 1.234,50');
  expect(page.text).toContain('Última unidade');
  expect(page.text).toContain('Cozinha');
  const cart = await bia.press(page, 'Adicionar ao carrinho');
  expect(cart.status).toBe(303);
  expect((await bia.at('/cart')).text).toContain('Finalizar compra');
  expect((await bia.get('/s/unknown')).text).toContain('Loja não encontrada');
  const hans = new Visitor(feira, shop, { 'accept-language': 'de, pt;q=0.1, en;q=0.2' });
  expect((await hans.at(`/products/${id}`)).text).toContain('Last one');
});

test('a shop is in Portuguese unless the browser requests English, and keeps the language that is chosen', async () => {
  await newProduct(store, { quantity: 0 });
  const anyone = new Visitor(feira, shop, { 'accept-language': '' });
  expect((await anyone.at()).html).toContain('<html lang="pt-BR">');
  const chosen = await anyone.at('?q=x&lang=en');
  expect(chosen).toMatchObject({ status: 303, location: `/s/${shop.slug}?q=x` });
  expect((await anyone.at()).html).toContain('<html lang="en">');
  expect((await anyone.at('?lang=xx')).html).toContain('<html lang="en">');
});

test('an address that ends with a slash redirects to the one without it', async () => {
  for (const path of ['', '/cart', '/orders'])
    expect(await visitor.get(`/s/${shop.slug}${path}/?q=x`)).toMatchObject({
      status: 301,
      location: `/s/${shop.slug}${path}?q=x`,
    });
});

test('an expired form gets an error page with the header of the shop, in the language of the buyer', async () => {
  const bia = new Visitor(feira, shop, { 'accept-language': 'pt' });
  const { status, html, text } = await bia.post(`/s/${shop.slug}/cart/lines`, { csrf: 'x' });
  expect(status).toBe(403);
  expect(text).toContain('Este formulário expirou');
  expect(html).toContain(`<a class="shop" href="/s/${shop.slug}">`);
});

test('the language links keep the search, filters, postal code and order key in the address', async () => {
  const id = await newProduct(store, { name: 'Mug', price: 30, quantity: 5 });
  const link = async (path: string, from = visitor) => {
    const { html } = await from.at(path);
    return /href="([^"]*lang=pt)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
  };
  const list = `/s/${shop.slug}`;
  expect(await link('?q=mug&sort=-price&stock=in&min=10&max=50')).toBe(
    `${list}?q=mug&sort=-price&stock=in&min=10&max=50&lang=pt`,
  );
  expect(await link('?sort=price')).toBe(`${list}?sort=price&lang=pt`);
  expect(await link('?lang=xx&utm_source=mail')).toBe(`${list}?lang=pt`);
  expect(await link(`/products/mug-${id}?zip=01001000`)).toBe(
    `${list}/products/mug-${id}?zip=01001000&lang=pt`,
  );
  await visitor.add(id);
  expect(await link('/checkout?zip=01001000')).toBe(`${list}/checkout?zip=01001000&lang=pt`);
  const order = localPath(await visitor.press(await visitor.get(localPath(await visitor.order())), 'Pay'));
  const { html } = await visitor.get(order);
  expect(html).toContain(`href="${order.replaceAll('&', '&amp;')}&amp;lang=pt"`);
});

test('a cached list does not contain unknown parameters of the address it was opened with', async () => {
  await newProduct(store, { name: 'Mug', quantity: 5 });
  expect((await visitor.at('?sort=price&utm_source=mail')).html).not.toContain('utm_source');
  expect((await visitor.at('?sort=price')).html).toContain(`/s/${shop.slug}?sort=price&amp;lang=pt`);
});
