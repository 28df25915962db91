import { beforeAll, beforeEach, expect, test } from 'vitest';
import { localPath, openShop, Visitor } from '../support/buyer.js';
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

test('a shop is in Portuguese or English, whichever the browser prefers', async () => {
  const id = await newProduct(store, { name: 'Mug', price: 1234.5, quantity: 1, categoryId: 15 });
  await newProduct(store, { name: 'Dress', categoryId: 2 });
  const bia = new Visitor(feira, visitor.shop, { 'accept-language': 'pt-BR,pt;q=0.9,en;q=0.5' });
  const page = await bia.at(`/products/${id}`);
  expect(page.html).toContain('<html lang="pt-BR">');
  expect(page.text.replaceAll('\u00a0', ' ')).toContain('R$ 1.234,50');
  expect(page.text).toContain('Última unidade');
  expect(page.text).toContain('Cozinha');
  const cart = await bia.press(page, 'Adicionar ao carrinho');
  expect(cart.status).toBe(303);
  expect((await bia.at('/cart')).text).toContain('Finalizar compra');
  expect((await bia.get('/s/unknown')).text).toContain('Loja não encontrada');
  const hans = new Visitor(feira, visitor.shop, { 'accept-language': 'de, pt;q=0.1, en;q=0.2' });
  expect((await hans.at(`/products/${id}`)).text).toContain('Last one');
});

test('a shop is in Portuguese unless the browser requests English, and keeps the language that is chosen', async () => {
  await newProduct(store, { quantity: 0 });
  const anyone = new Visitor(feira, visitor.shop, { 'accept-language': '' });
  expect((await anyone.at()).html).toContain('<html lang="pt-BR">');
  const chosen = await anyone.at('?q=x&lang=en');
  expect(chosen).toMatchObject({ status: 303, location: `/s/${visitor.shop.slug}?q=x` });
  expect((await anyone.at()).html).toContain('<html lang="en">');
  expect((await anyone.at('?lang=xx')).html).toContain('<html lang="en">');
});

test('an expired form gets an error page with the header of the shop, in the language of the buyer', async () => {
  const bia = new Visitor(feira, visitor.shop, { 'accept-language': 'pt' });
  const { status, html, text } = await bia.post(`/s/${visitor.shop.slug}/cart/lines`, { csrf: 'x' });
  expect(status).toBe(403);
  expect(text).toContain('Este formulário expirou');
  expect(html).toContain(`<a class="shop" href="/s/${visitor.shop.slug}">`);
});

test('the language links keep the search, filters, postal code and order key in the address', async () => {
  const id = await newProduct(store, { name: 'Mug', price: 30, quantity: 5 });
  const link = async (path: string, from = visitor) => {
    const { html } = await from.at(path);
    return /href="([^"]*lang=pt)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
  };
  const list = `/s/${visitor.shop.slug}`;
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
  // The list is cached when it is rendered for the second time.
  for (let time = 0; time < 2; time++)
    expect((await visitor.at('?sort=price&utm_source=mail')).html).not.toContain('utm_source');
  expect((await visitor.at('?sort=price')).html).toContain(`/s/${visitor.shop.slug}?sort=price&amp;lang=pt`);
});
