import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openShop, type Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import type { Page } from '../support/merchant.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;
let visitor: Visitor;
let shirt: string;

beforeAll(async () => {
  feira = await sharedFeira();
});
beforeEach(async () => {
  ({ store, visitor } = await openShop(feira));
  await newProduct(store, { name: 'Mug', price: 30, quantity: 4, categoryId: 15 });
  // This product is sorted and filtered by the price of its cheapest variation, 70.
  shirt = await newProduct(store, { name: 'Shirt', price: 80, categoryId: 2 });
  await store.put(`/products/${shirt}/variants`, {
    types: [{ name: 'Size', options: ['S', 'L'] }],
    combinations: [
      { combination: 'S', price: 70, quantity: 0 },
      { combination: 'L', price: 90, quantity: 0 },
    ],
  });
  // This product is sorted and filtered by its promotional price, 25.
  await newProduct(store, { name: 'Álbum', price: 90, priceDiscount: 25, quantity: 9, categoryId: 21 });
  await newProduct(store, { name: 'Lamp', price: 50, quantity: 0, categoryId: 16 });
});

const namesOn = ({ html }: Page) =>
  [...html.matchAll(/<h2>(Mug|Shirt|Álbum|Lamp)<\/h2>/g)].map(([, name]) => name);
const listed = async (query: string) => namesOn(await visitor.at(`?${query}`));

test('the product list is sorted by date, by the price that is shown, and by name', async () => {
  expect(await listed('')).toEqual(['Lamp', 'Álbum', 'Shirt', 'Mug']);
  expect(await listed('sort=price')).toEqual(['Álbum', 'Mug', 'Lamp', 'Shirt']);
  expect(await listed('sort=-price')).toEqual(['Shirt', 'Lamp', 'Mug', 'Álbum']);
  expect(await listed('sort=name')).toEqual(['Álbum', 'Lamp', 'Mug', 'Shirt']);
  expect(await listed('sort=nonsense')).toEqual(['Lamp', 'Álbum', 'Shirt', 'Mug']);
});

test('a product with variations is sorted by their lowest price, even if its own price is lower', async () => {
  await store.patch(`/products/${shirt}`, { price: 10 });
  expect(await listed('sort=price')).toEqual(['Álbum', 'Mug', 'Lamp', 'Shirt']);
  const sku = 'SHIRT-S';
  const put = await store.put(`/products/${shirt}/variants`, {
    types: [{ name: 'Size', options: ['S', 'L'] }],
    combinations: [
      { combination: 'S', sku, price: 5, quantity: 1 },
      { combination: 'L', price: 90, quantity: 0 },
    ],
  });
  expect(put.status).toBe(200);
  expect(await listed('sort=price')).toEqual(['Shirt', 'Álbum', 'Mug', 'Lamp']);
  await store.patch(`/products/${shirt}/variants`, { variants: [{ sku, price: 60 }] });
  expect(await listed('sort=price')).toEqual(['Álbum', 'Mug', 'Lamp', 'Shirt']);
});

test('a product that was created together with its variations is sorted by their lowest price', async () => {
  await newProduct(store, {
    name: 'Mug XL',
    price: 99,
    variants: {
      types: [{ name: 'Size', options: ['S', 'L'] }],
      combinations: [
        { combination: 'S', price: 26, quantity: 1 },
        { combination: 'L', price: 99, quantity: 1 },
      ],
    },
  });
  const { html } = await visitor.at('?sort=price');
  const names = [...html.matchAll(/<h2>(Mug|Shirt|Álbum|Lamp|Mug XL)<\/h2>/g)].map(([, name]) => name);
  expect(names).toEqual(['Álbum', 'Mug XL', 'Mug', 'Lamp', 'Shirt']);
});

test('the product list is filtered by price and stock, alone and together with a category or a search', async () => {
  expect(await listed('stock=in')).toEqual(['Álbum', 'Mug']);
  expect(await listed('min=26&max=70')).toEqual(['Lamp', 'Shirt', 'Mug']);
  expect(await listed('max=70&min=26&stock=in&sort=price')).toEqual(['Mug']);
  expect(await listed('min=70&max=26')).toEqual(['Lamp', 'Shirt', 'Mug']);
  expect(await listed('min=69,50')).toEqual(['Shirt']);
  expect(await listed('category=15&stock=in')).toEqual(['Mug']);
  expect(await listed('q=mug&min=31')).toEqual([]);
  expect(await listed('q=mug&max=31&sort=price')).toEqual(['Mug']);
  expect(await listed('min=x&max=1e3')).toEqual(['Lamp', 'Álbum', 'Shirt', 'Mug']);
});

test('the product list keeps filters in the links to categories, and each filter has a link to remove it', async () => {
  const page = await visitor.at('?sort=price&stock=in&min=26');
  expect(page.html).toContain('?category=13&amp;sort=price&amp;stock=in&amp;min=26');
  expect(page.text).toContain('1 product · Price: low to high');
  expect(page.html).toMatch(/href="[^"]*\?sort=price&amp;min=26">In stock/);
  expect(page.html).toMatch(/href="[^"]*\?sort=price&amp;stock=in">From R\$26\.00/);
  expect(page.html).toContain('<meta name="robots" content="noindex"');
  const none = await visitor.at('?min=1000');
  expect([none.status, none.text.includes('No products match these filters.')]).toEqual([200, true]);
});

test('a category without products says so, and an unknown category is not found', async () => {
  const empty = await visitor.at('?category=25');
  expect([empty.status, empty.text.includes('There are no products in this category.')]).toEqual([200, true]);
  expect((await visitor.at('?category=999')).status).toBe(404);
  expect((await visitor.at('?category=x')).status).toBe(404);
});

test('the product list links to addresses with the product name, and an address without it redirects there', async () => {
  const { html } = await visitor.at();
  const path = `/s/${visitor.shop.slug}/products/shirt-${shirt}`;
  expect(html).toContain(`href="${path}"`);
  expect((await visitor.get(path)).status).toBe(200);
  for (const old of [shirt, `camisa-${shirt}`]) {
    const moved = await visitor.get(`/s/${visitor.shop.slug}/products/${old}?v=1`);
    expect([moved.status, moved.location]).toEqual([301, `${path}?v=1`]);
  }
  for (const wrong of [`x${shirt}`, 'shirt', shirt.replace(/.$/, ''), '-'])
    expect((await visitor.get(`/s/${visitor.shop.slug}/products/${wrong}`)).status, wrong).toBe(404);
});
