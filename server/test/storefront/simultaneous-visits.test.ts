import { beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { openShop, Visitor } from '../support/buyer.js';
import { newProduct, newVaried } from '../support/catalog.js';
import type { Feira } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;

beforeAll(async () => {
  feira = await sharedFeira();
});

test('pages of several shops that are requested at the same time each show their own shop and product', async () => {
  const shops = await Promise.all(Array.from({ length: 4 }, () => openShop(feira)));
  const products = await Promise.all(
    shops.flatMap(({ store, visitor }, shop) =>
      Array.from({ length: 5 }, async (_, at) => {
        const name = `Item ${at} of shop ${shop}`;
        return { visitor, name, id: await newProduct(store, { name, quantity: 3 }) };
      }),
    ),
  );
  // More than fit into one statement, each twice, because a page that was just requested may be cached.
  const visits = [...products, ...products].map(async ({ visitor, name, id }) => ({
    name,
    page: await visitor.at(`/products/${id}`),
  }));
  const elsewhere = products.map(({ id }, at) =>
    shops[(Math.floor(at / 5) + 1) % 4]!.visitor.at(`/products/${id}`),
  );
  const unknown = shops.map(({ visitor }) => visitor.at('/products/01920000-0000-7000-8000-000000000000'));
  for (const { name, page } of await Promise.all(visits)) {
    expect([page.status, page.html]).toEqual([200, expect.stringContaining(`<h1>${name}</h1>`)]);
  }
  for (const page of await Promise.all([...elsewhere, ...unknown])) expect(page.status).toBe(404);
});

test('any name can be the address of a shop, also null, while others and unknown ones are requested', async () => {
  const [{ store, visitor }, other] = await Promise.all([openShop(feira), openShop(feira)]);
  await feira.context.db
    .store('test')
    .autocommit.query(sql`update workspaces set slug = 'null' where id = ${store.workspaceId}`);
  const pages = await Promise.all(
    ['null', other.visitor.shop.slug, 'unknown', 'true'].map((slug) => visitor.get(`/s/${slug}`)),
  );
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 404, 404]);
  expect(pages[0]!.text).toContain(visitor.shop.name);
});

test('a page that is requested after a change shows the change, also among requests for other products', async () => {
  const { store, visitor } = await openShop(feira);
  const id = await newVaried(store, { changing: 1 });
  const others = await Promise.all(Array.from({ length: 10 }, () => newProduct(store)));
  for (const quantity of [2, 0, 3, 2]) {
    const [, page] = await Promise.all([
      Promise.all([id, ...others, id].map((each) => visitor.at(`/products/${each}`))),
      store
        .patch(`/products/${id}/variants/changing/stock`, { quantity })
        .then(() => visitor.at(`/products/${id}`)),
    ]);
    expect(page.text.includes('Sold out')).toBe(quantity === 0);
    if (quantity > 0) expect(page.text).toContain(`Last ${quantity}`);
  }
});

test('carts that are requested at the same time each show their own lines', async () => {
  const { store, visitor } = await openShop(feira);
  const products = await Promise.all(
    Array.from({ length: 3 }, (_, at) => newProduct(store, { name: `Line ${at}`, price: 10, quantity: 9 })),
  );
  const varied = await newVaried(store, { small: 4, large: 0 });
  const [small] = (await store.get(`/products/${varied}/variants`)).body.data as { id: string }[];
  const buyers = Array.from({ length: 6 }, () => new Visitor(feira, visitor.shop));
  // Each product is in two carts, with different quantities. The last cart is empty.
  for (const [at, buyer] of buyers.entries()) {
    if (at < 5) await buyer.add(products[at % 3]!, { quantity: String(at + 1) });
    if (at === 4) await buyer.add(varied, { variantId: small!.id });
  }
  const pages = await Promise.all(buyers.map((buyer) => buyer.at('/cart')));
  const subtotals = pages.map(({ text }) => /Subtotal (R\$[\d.]+)/.exec(text)?.[1]);
  expect(subtotals).toEqual(['R$10.00', 'R$20.00', 'R$30.00', 'R$40.00', 'R$60.00', undefined]);
  for (const [at, { text }] of pages.slice(0, 5).entries())
    expect(new Set(text.match(/Line \d/g))).toEqual(new Set([`Line ${at % 3}`]));
  expect(pages[5]!.text).toContain('Your cart is empty');
});
