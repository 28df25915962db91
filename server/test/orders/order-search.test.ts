import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct, newVaried } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { allByCursor } from '../support/orders.js';
import { buy, order } from '../support/shop.js';

let feira: Feira;
let store: StoreClient;
const found: Record<string, string> = {};

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  const mug = await newProduct(store, { quantity: 50, sku: 'CAN-100%' });
  const plate = await newProduct(store, { quantity: 50, sku: 'PRA_200' });
  const shirt = await newVaried(store, { 'CAM-P': 5, 'CAM-G': 5 });
  const [small] = (await store.get(`/products/${shirt}/variants`)).body.data;
  const simple = (productId: string) => ({ productId, variantId: null, quantity: 1 });
  found.joao = await order(feira, store.workspaceId, simple(mug), {
    buyer: { name: 'João Conceição', email: 'Joao.C@Mail.example', document: '11144477735' },
  });
  found.ana = await order(feira, store.workspaceId, simple(plate), {
    buyer: { name: 'ANA PAULA', email: 'ana_paula@mail.example', document: null },
  });
  const both = await buy(feira, store.workspaceId, {
    lines: [simple(plate), { productId: shirt, variantId: small.id, quantity: 1 }],
    buyer: { name: 'Zoë 50% O’Neil', email: 'zoe@mail.example', document: '39053344705' },
  });
  found.zoe = (both as { orderId: string }).orderId;
  found.cia = await order(feira, store.workspaceId, simple(plate), {
    buyer: { name: 'Empresa', email: 'cia@empresa.example', document: '12ABC34501DE35' },
  });
  await store.patch(`/orders/${found.ana}/shipping-status`, {
    statusShipping: 'sent',
    codeShipping: 'QZ123456785BR',
  });
});
afterAll(() => feira.close());

test.each([
  ['number', '1002', ['ana']],
  ['part of a number', '100', ['joao', 'ana', 'zoe', 'cia']],
  ['name', 'João Conceição', ['joao']],
  ['name without accents and in capitals', 'CONCEICAO', ['joao']],
  ['accents where the name has none', 'Paúla', ['ana']],
  ['text that is in no name', 'oni', []],
  ['name without its diaeresis', 'zoe', ['zoe']],
  ['e-mail in another case', 'joao.c@mail', ['joao']],
  ['part of an e-mail', '@mail.example', ['joao', 'ana', 'zoe']],
  ['document', '11144477735', ['joao']],
  ['document with its punctuation', '111.444.777-35', ['joao']],
  ['document with other punctuation', ' 111 444 777/35 ', ['joao']],
  ['part of a document with its punctuation', '444.777-', ['joao']],
  ['CNPJ with letters', '12abc34501de35', ['cia']],
  ['CNPJ with letters and punctuation', '12.ABC.345/01DE-35', ['cia']],
  ['part of a CNPJ with its punctuation', 'abc.345/01', ['cia']],
  ['document that differs in one digit', '111.444.777-36', []],
  ['SKU of a simple product', 'pra_200', ['ana', 'zoe', 'cia']],
  ['SKU of a variation', 'CAM-P', ['zoe']],
  ['SKU of a variation that was not bought', 'CAM-G', []],
  ['shipment code', 'QZ123456785BR', ['ana']],
  ['part of a shipment code', 'qz1234', ['ana']],
  ['a literal percent sign', '0%', ['joao', 'zoe']],
  ['a literal underscore', 'a_p', ['ana']],
  ['an underscore, which is not a wildcard', 'j_ao', []],
  ['a literal backslash', '\\', []],
  ['text that spans two fields', '1001joao', []],
  ['a quote', "o'", ['zoe']],
  ['empty text', '', ['joao', 'ana', 'zoe', 'cia']],
])('search finds exactly the expected orders: %s', async (_what, text, names) => {
  const { status, body } = await store.get(`/orders?sort=createdAt&search=${encodeURIComponent(text)}`);
  expect(status).toBe(200);
  const ids = body.data.map(({ id }: { id: string }) => id);
  expect(ids).toEqual(names.map((name) => found[name]));
  expect(body.meta.total).toBe(names.length);
});

test('an order is found by its corrected shipment code and no longer by the old one', async () => {
  const change = { statusShipping: 'sent', codeShipping: 'QY000000005BR' };
  await store.patch(`/orders/${found.ana}/shipping-status`, change);
  expect((await store.get('/orders?search=QY00')).body.data).toHaveLength(1);
  expect((await store.get('/orders?search=QZ123456785BR')).body.data).toHaveLength(0);
});

test('search can be combined with filters and every sort', async () => {
  const query = 'search=mail.example&status=paid&statusShipping=pending&from=2020-01-01&dateType=updated';
  for (const sort of ['createdAt', '-createdAt', 'updatedAt', '-updatedAt']) {
    const { body } = await store.get(`/orders?${query}&sort=${sort}`);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([found.joao]);
  }
});

test('a search that finds more than a thousand orders is counted and paged like any other', async () => {
  const other = await feira.store();
  const productId = await newProduct(other, { quantity: 1 });
  const first = await order(feira, other.workspaceId, { productId, variantId: null, quantity: 1 });
  await manyLike(first, 1_200);
  const { body } = await other.get('/orders?search=bia+souza&limit=100&page=12');
  expect(body.meta).toMatchObject({ total: 1_201, totalPages: 13, hasMore: true });
  const followed = await allByCursor(other, '/orders?search=bia&limit=100&sort=updatedAt');
  expect(new Set(followed.map(({ id }) => id)).size).toBe(1_201);
  const unpaid = await other.get('/orders?search=bia+souza&status=pending');
  expect(unpaid.body.meta.total).toBe(0);
});

async function manyLike(orderId: string, count: number): Promise<void> {
  await feira.context.db.store('test').transaction(async (tx) => {
    await tx.query(sql`
      insert into orders (workspace_id, id, number, status, subtotal, shipping_cost, total, payment_method, gateway, customer_id,
        customer, shipping_address, items, checkout_id, expires_at)
      select workspace_id, new_id(), number + n, status, subtotal, shipping_cost, total, payment_method, gateway, customer_id,
        customer, shipping_address, items, checkout_id || n, expires_at
      from orders, generate_series(1, ${count}::integer) n where id = ${orderId}`);
    await tx.query(sql`
      insert into order_search (workspace_id, order_id, terms)
      select o.workspace_id, o.id, s.terms from order_search s join orders o on o.workspace_id = s.workspace_id
      where s.order_id = ${orderId} and o.id <> s.order_id`);
  });
}

test('search accepts at most 255 characters', async () => {
  expect((await store.get(`/orders?search=${'x'.repeat(255)}`)).status).toBe(200);
  expect((await store.get(`/orders?search=${'x'.repeat(256)}`)).status).toBe(400);
});

test('a customer is found by CPF or CNPJ, even with punctuation', async () => {
  for (const text of ['12.ABC.345/01DE-35', '12ABC34501DE35', '12.abc', '111.444.777-35', '11144477735'])
    expect((await store.get(`/customers?search=${encodeURIComponent(text)}`)).body.data, text).toHaveLength(
      1,
    );
});
