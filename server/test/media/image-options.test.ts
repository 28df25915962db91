import { beforeAll, expect, test } from 'vitest';
import { localPath, shopOf, Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;
let visitor: Visitor;
let shirt: string;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  visitor = new Visitor(feira, await shopOf(feira, store));
  shirt = await newProduct(store, { name: 'Shirt', price: 80 });
  await store.put(`/products/${shirt}/variants`, {
    types: [
      { name: 'Size', options: ['S', 'L'] },
      { name: 'Color', options: ['Red', 'Blue'] },
    ],
    combinations: ['S - Red', 'S - Blue', 'L - Red'].map((combination) => ({ combination, quantity: 3 })),
  });
});

const urlOf = (name: string) => `https://img.example/${name}.jpg`;
const attach = (name: string, option?: string) =>
  store.post(`/products/${shirt}/images`, { url: urlOf(name), ...(option !== undefined && { option }) });

test('the option that an image shows is returned wherever the image is returned', async () => {
  const plain = await attach('plain');
  expect(plain.body).not.toHaveProperty('option');
  const red = await attach('red', ' Red ');
  expect([red.status, red.body.option]).toEqual([201, 'Red']);
  await attach('blue', 'Blue');
  const options = (images: { option?: string }[]) => images.map(({ option }) => option);
  expect(options((await store.get(`/products/${shirt}/images`)).body.data)).toEqual([
    undefined,
    'Red',
    'Blue',
  ]);
  expect(options((await store.get(`/products/${shirt}`)).body.images)).toEqual([undefined, 'Red', 'Blue']);
  const { body } = await store.get('/products?include=images');
  expect(options(body.data[0].images)).toEqual([undefined, 'Red', 'Blue']);
});

test('the shop shows the picture of the chosen color first', async () => {
  const { body } = await store.get(`/products/${shirt}/variants`);
  const first = async (combination: string) => {
    const { id } = body.data.find((variant: { combination: string }) => variant.combination === combination);
    const { html } = await visitor.at(`/products/shirt-${shirt}?v=${id}`);
    return /<div id="picture-1"><span class="picture"><img src="([^"]+)"/.exec(html)?.[1];
  };
  expect(await first('S - Red')).toBe(urlOf('red'));
  expect(await first('S - Blue')).toBe(urlOf('blue'));
  expect(await first('L - Red')).toBe(urlOf('red'));
});

test('the cart, the checkout and the order show the picture of the chosen color', async () => {
  const { body } = await store.get(`/products/${shirt}/variants`);
  const blue = body.data.find((variant: { combination: string }) => variant.combination === 'S - Blue');
  const shown = ({ html }: { html: string }) =>
    [...html.matchAll(/<span class="picture"><img src="([^"]+)"/g)].map(([, url]) => url);
  await visitor.add(shirt, { variantId: blue.id });
  expect(shown(await visitor.at('/cart'))).toEqual([urlOf('blue')]);
  expect(shown(await visitor.checkout())).toEqual([urlOf('blue')]);
  const order = await visitor.settle(localPath(await visitor.order()));
  expect(shown(order)).toEqual([urlOf('blue')]);
});

test('PATCH changes the option of an image, clears it while moving the image, and rejects invalid values', async () => {
  const { body } = await store.get(`/products/${shirt}/images`);
  const path = `/products/${shirt}/images/${body.data[1].id}`;
  expect((await store.patch(path, { option: 'Blue' })).body).toMatchObject({ option: 'Blue', order: 1 });
  expect((await store.patch(path, { order: 2, option: null })).body).toMatchObject({ order: 2 });
  expect((await store.get(`/products/${shirt}/images`)).body.data[2]).not.toHaveProperty('option');
  for (const wrong of [{}, { option: '' }, { option: 5 }, { option: 'x'.repeat(101) }, { order: null }])
    expect((await store.patch(path, wrong)).status, JSON.stringify(wrong)).toBe(422);
  expect((await store.patch(`/products/${shirt}/images/x`, { option: 'Red' })).status).toBe(404);
  expect((await attach('x', '')).status).toBe(422);
});
