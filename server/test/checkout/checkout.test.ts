import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hiddenFields, localPath, openShop, shopOf, TYPED, Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';

let feira: Feira;
let store: StoreClient;
let visitor: Visitor;
let mug: string;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  ({ store, visitor } = await openShop(feira));
  mug = await newProduct(store, { name: 'Mug', price: 34.9, quantity: 10, sku: 'MUG', weight: 0.5 });
});

const orders = async () => (await store.get('/orders')).body.data;

describe('a checkout', () => {
  test('creates one order from the cart, empties the cart and redirects to the payment', async () => {
    await visitor.add(mug, { quantity: '2' });
    const placed = await visitor.order({ payment: 'card', installments: '3', delivery: 'express' });
    expect(placed.location).toMatch(/^http:\/\/feira\.test\/sandbox\/pay\/sbx_/);
    expect(visitor.cookies.has('feira_cart')).toBe(false);
    expect(await orders()).toEqual([
      expect.objectContaining({
        status: 'pending',
        subtotal: 69.8,
        // Express: 1.8 times the economy cost, which is R$ 12 plus R$ 2.50 per kg, for 1 kg.
        shippingCost: 26.1,
        total: 95.9,
        payment: {
          method: 'card',
          installments: 3,
          gateway: 'sandbox',
          transactionId: new URL(placed.location!).pathname.split('/').at(-1),
        },
        customer: expect.objectContaining({
          name: 'Bia Souza',
          email: 'bia@cliente.example',
          phone: '11999990000',
          document: '52998224725',
        }),
        shippingAddress: {
          street: 'Rua das Flores',
          number: '120',
          complement: null,
          district: 'Centro',
          city: 'São Paulo',
          state: 'SP',
          zipCode: '01001000',
          country: 'BR',
        },
        items: [expect.objectContaining({ productId: mug, sku: 'MUG', quantity: 2, unitPrice: 34.9 })],
      }),
    ]);
    expect((await store.get(`/products/${mug}`)).body.quantity).toBe(8);
    const events = await feira.events(store.workspaceId);
    expect(events.map(({ event }) => event)).toEqual(['product.created', 'stock.updated', 'order.created']);
  });

  test('asks for the CEP first, then shows both delivery services with their prices', async () => {
    await visitor.add(mug);
    const first = await visitor.at('/checkout');
    expect(first.text).toContain('Where should we deliver?');
    const wrong = await visitor.checkout('123');
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('Enter a CEP with 8 digits.');
    const { text } = await visitor.checkout('69005-000');
    // Economy: R$ 32 plus R$ 9 per kg, for 0.5 kg. Express: 1.8 times that.
    expect(text).toContain('Economy 10 business days R$36.50');
    expect(text).toContain('Express 5 business days R$65.70');
  });

  test('requests a new quote for another CEP, keeps the input and shows no errors yet', async () => {
    await visitor.add(mug);
    const page = await visitor.press(await visitor.checkout(), 'Update delivery', {
      zip: '69005-000',
      name: 'Bia',
    });
    expect(page.status).toBe(200);
    expect(page.text).toContain('R$36.50');
    expect(page.html).toContain('value="Bia"');
    expect(page.html).not.toContain('class="fault"');
  });

  test('charges nothing for the delivery of digital products', async () => {
    const book = await newProduct(store, { price: 10, quantity: 5, typeId: 1 });
    await visitor.add(book);
    expect((await visitor.checkout()).text).toContain('Digital delivery Free');
    await visitor.order({ delivery: 'digital' });
    expect((await orders())[0]).toMatchObject({ shippingCost: 0, total: 10 });
  });

  test('lets phones show a keyboard with letters for the document, because a CNPJ may contain letters', async () => {
    await visitor.add(mug);
    const [input] = /<input id="document"[^>]*>/.exec((await visitor.checkout()).html)!;
    expect(input).not.toContain('inputmode');
    expect(input).toContain('autocapitalize="characters"');
  });

  test('accepts a CNPJ, even one with letters', async () => {
    for (const document of ['11.222.333/0001-81', '12ABC34501DE35', '12.abc.345/01de-35']) {
      await visitor.add(mug);
      expect((await visitor.order({ document })).status, document).toBe(303);
    }
    expect((await store.get('/customers')).body.data).toHaveLength(2);
  });
});

describe('a checkout form', () => {
  test('that is sent again, even concurrently, leads to the payment of the first order and creates no other', async () => {
    await visitor.add(mug);
    const fields = { ...hiddenFields(await visitor.checkout(), 'Place order'), ...TYPED };
    const address = `/s/${visitor.shop.slug}/checkout`;
    const first = await Promise.all(Array.from({ length: 8 }, () => visitor.post(address, fields)));
    const again = await visitor.post(address, { ...fields, name: 'Somebody Else' });
    expect(new Set([...first, again].map(({ location }) => location)).size).toBe(1);
    expect(localPath(again)).toMatch(/^\/sandbox\/pay\//);
    expect(await orders()).toHaveLength(1);
    expect((await store.get(`/products/${mug}`)).body.quantity).toBe(9);
  });

  test('from another browser, with another id, or for another shop is rejected', async () => {
    await visitor.add(mug);
    const fields: Record<string, string> = {
      ...hiddenFields(await visitor.checkout(), 'Place order'),
      ...TYPED,
    };
    const address = `/s/${visitor.shop.slug}/checkout`;
    const other = new Visitor(feira, visitor.shop);
    await other.add(mug);
    expect((await other.post(address, fields)).status).toBe(403);
    for (const checkout of ['', 'x', `${fields.checkout}x`, '\0', 'A'.repeat(22)])
      expect((await visitor.post(address, { ...fields, checkout })).status).toBe(403);
    const elsewhere = await shopOf(feira, await feira.store());
    expect((await visitor.post(`/s/${elsewhere.slug}/checkout`, fields)).status).toBe(403);
    expect(await orders()).toEqual([]);
  });
});

describe('if, after the checkout page was shown,', () => {
  test('a price changes, the buyer is asked to confirm the new one', async () => {
    await visitor.add(mug);
    const page = await visitor.checkout();
    await store.patch(`/products/${mug}`, { price: 40 });
    const asked = await visitor.press(page, 'Place order', TYPED);
    expect(asked.status).toBe(409);
    expect(asked.text).toContain('has changed');
    expect(asked.text).toContain('R$40.00');
    expect(await orders()).toEqual([]);
    expect((await visitor.press(asked, 'Place order', TYPED)).status).toBe(303);
    expect((await orders())[0].subtotal).toBe(40);
  });

  test('the buyer changes the CEP, they are asked to confirm the new cost of delivery', async () => {
    await visitor.add(mug);
    const page = await visitor.checkout('01001000');
    const asked = await visitor.press(page, 'Place order', { ...TYPED, zip: '69005000', state: 'AM' });
    expect(asked.status).toBe(409);
    expect(asked.text).toContain('R$36.50');
    const again = { ...TYPED, zip: '69005000', state: 'AM' };
    expect((await visitor.press(asked, 'Place order', again)).status).toBe(303);
  });

  test('the stock becomes too low, the cart shows what is left', async () => {
    await visitor.add(mug, { quantity: '3' });
    const page = await visitor.checkout();
    await store.patch(`/products/${mug}/stock`, { quantity: 2 });
    const refused = await visitor.press(page, 'Place order', TYPED);
    expect(localPath(refused)).toBe(`/s/${visitor.shop.slug}/cart`);
    expect((await visitor.at('/cart')).text).toContain('Only 2 left');
  });

  test('two buyers order the last unit at the same time, only one of them gets it', async () => {
    await store.patch(`/products/${mug}/stock`, { quantity: 1 });
    const other = new Visitor(feira, visitor.shop);
    await Promise.all([visitor.add(mug), other.add(mug)]);
    const pages = await Promise.all([visitor.checkout(), other.checkout()]);
    const placed = await Promise.all([
      visitor.press(pages[0]!, 'Place order', TYPED),
      other.press(pages[1]!, 'Place order', TYPED),
    ]);
    const paying = placed.filter(({ location }) => location?.includes('/sandbox/pay/'));
    expect(paying).toHaveLength(1);
    expect(await orders()).toHaveLength(1);
    expect((await store.get(`/products/${mug}`)).body.quantity).toBe(0);
  });
});
