import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Shop } from '../../src/stores/queries.js';
import { shopOf, Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';

let feira: Feira;
let store: StoreClient;
let shop: Shop;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
  shop = await shopOf(feira, store);
});

describe('a short search', () => {
  test.each(['ca', 'CA', 'c', 'gr', 'ab', 'xk'])('for %s finds words that begin with it', async (q) => {
    await newProduct(store, { name: 'Café em Grãos', sku: 'AB-1', ean: null });
    await newProduct(store, { name: 'Xk 100%' });
    const { status, text } = await new Visitor(feira, shop, {}, '192.0.2.1').at(`?q=${q}`);
    expect(status).toBe(200);
    expect(text).toContain('1 product for');
  });

  test.each(['af', 'os', '00', '%25', '_'])('for %s does not find it inside a word', async (q) => {
    await newProduct(store, { name: 'Café em Grãos 100%' });
    const { text } = await new Visitor(feira, shop, {}, '192.0.2.2').at(`?q=${q}`);
    expect(text).toContain('No products for');
  });

  test('of three letters also finds them inside a word', async () => {
    await newProduct(store, { name: 'Café em Grãos' });
    const { text } = await new Visitor(feira, shop, {}, '192.0.2.3').at('?q=afe');
    expect(text).toContain('1 product for');
  });
});

describe('searches are limited per client network', () => {
  const searched = async (address: string, path = '?q=mug', headers = {}) =>
    new Visitor(feira, shop, headers, address).at(path);

  test('the 61st search within a minute is rejected, and other networks are not affected', async () => {
    for (let n = 0; n < 60; n++) expect((await searched(`2001:db8::${n.toString(16)}`)).status).toBe(200);
    const refused = await searched('2001:db8::ffff');
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d?$/);
    expect(refused.text).toContain('Too many searches');
    expect((await searched('2001:db8::ffff', '?q=mug', { 'accept-language': 'pt-BR' })).text).toContain(
      'Muitas buscas',
    );
    expect((await searched('2001:db8::ffff', '')).status).toBe(200);
    expect((await searched('2001:db8:0:1::1')).status).toBe(200);
    feira.clock.forward(60_000);
    expect((await searched('2001:db8::1')).status).toBe(200);
  });
});

describe('while searches hang', () => {
  let holder: pg.Client;

  beforeEach(async () => {
    holder = new pg.Client(feira.connection);
    await holder.connect();
  });
  afterEach(() => holder.end());

  const lock = async () => {
    await holder.query('begin');
    await holder.query('lock table product_search in access exclusive mode');
  };

  test('in eight stores, a ninth store still serves pages, lists and single products', async () => {
    const others = await Promise.all(Array.from({ length: 8 }, () => feira.store()));
    const id = await newProduct(store, { name: 'Mug' });
    await lock();
    let ended = 0;
    const searches = others.flatMap((other) =>
      Array.from({ length: 3 }, () => other.get('/products?search=mu').finally(() => ended++)),
    );
    const shops = await Promise.all(others.map((other) => shopOf(feira, other)));
    const pages = shops.map((each) =>
      new Visitor(feira, each, {}, '192.0.2.4').at('?q=mu').finally(() => ended++),
    );
    expect((await store.get('/products')).status).toBe(200);
    expect((await store.get(`/products/${id}`)).status).toBe(200);
    expect((await new Visitor(feira, shop).at()).status).toBe(200);
    expect(ended).toBe(0);
    await holder.query('rollback');
    for (const { status } of await Promise.all([...searches, ...pages])) expect(status).toBe(200);
  });

  test('a search that takes too long returns 503 with Retry-After, in the API and on a page', async () => {
    const strict = await openFeira({ on: feira, deadlines: { lockMs: 50 } });
    try {
      await lock();
      const answer = await store.through(strict).get('/products?search=mug');
      expect(answer).toMatchObject({ status: 503, body: { code: 'busy' }, headers: { 'retry-after': '1' } });
      const page = await new Visitor(strict, shop).at('?q=mug');
      expect(page).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      expect(page.text).toContain('Search is busy');
      const portuguese = await new Visitor(strict, shop, { 'accept-language': 'pt-BR' }).at('?q=mug');
      expect(portuguese.text).toContain('A busca está sobrecarregada');
    } finally {
      await strict.close();
    }
  });
});
