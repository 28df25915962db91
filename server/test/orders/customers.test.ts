import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listCustomers } from '../../src/orders/customers.js';
import type { Queryable } from '../../src/platform/db/share.js';
import { type Statement, sql } from '../../src/platform/db/sql.js';
import { ListMemory } from '../../src/platform/lists/list-memory.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { allByCursor, transactionOf } from '../support/orders.js';
import { BUYER, order } from '../support/shop.js';

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
  productId = await newProduct(store, { price: 100, quantity: 1_000 });
});

const place = (buyer: Partial<typeof BUYER> = {}, pay = true) =>
  order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 }, { buyer, pay });
// biome-ignore lint/suspicious/noExplicitAny: a test reads any shape and asserts on it
const list = async (query = ''): Promise<any[]> => {
  const { status, body } = await store.get(`/customers${query}`);
  expect(status).toBe(200);
  return body.data;
};

test('a customer has the documented fields, which agree with the order', async () => {
  const id = await place();
  const { body: placed } = await store.get(`/orders/${id}`);
  expect(await list()).toEqual([
    {
      id: placed.customer.id,
      name: 'Bia Souza',
      email: 'bia@cliente.example',
      phone: '11999990000',
      document: '52998224725',
      address: BUYER.address,
      ordersCount: 1,
      totalSpent: 112.75,
      firstOrderAt: placed.createdAt,
      lastOrderAt: placed.createdAt,
    },
  ]);
});

test('orders with the same document belong to one customer, whose name is that of the latest paid order', async () => {
  const first = await place({ name: 'Bia', email: 'old@mail.example' });
  const second = await place({ name: 'Beatriz Souza', email: 'new@mail.example', phone: null });
  const orders = await Promise.all([first, second].map((id) => store.get(`/orders/${id}`)));
  expect(orders[0]!.body.customer.id).toBe(orders[1]!.body.customer.id);
  expect(orders[0]!.body.customer.name).toBe('Bia');
  expect(await list()).toMatchObject([
    {
      name: 'Beatriz Souza',
      email: 'new@mail.example',
      phone: null,
      ordersCount: 2,
      totalSpent: 225.5,
      firstOrderAt: orders[0]!.body.createdAt,
      lastOrderAt: orders[1]!.body.createdAt,
    },
  ]);
});

test('orders without a document belong to one customer if their e-mails differ only in upper and lower case', async () => {
  await place({ document: null, email: 'Caio@Mail.example', name: 'Caio' });
  await place({ document: null, email: 'caio@mail.EXAMPLE', name: 'Caio' });
  await place({ document: '11144477735', email: 'x@mail.example', name: 'Ana' });
  expect((await list()).map(({ name, ordersCount }) => [name, ordersCount])).toEqual([
    ['Ana', 1],
    ['Caio', 2],
  ]);
});

test('orders with different documents belong to different customers, even if the e-mail is the same', async () => {
  await place({ document: '11144477735' });
  await place({ document: '39053344705' });
  expect(await list()).toHaveLength(2);
});

test('concurrent checkouts with the same document create one customer', async () => {
  await Promise.all(Array.from({ length: 20 }, () => place()));
  expect(await list()).toMatchObject([{ ordersCount: 20, totalSpent: 2_255 }]);
});

test('ordersCount counts all paid orders, even refunded ones; totalSpent is net of refunds', async () => {
  const spent = async () => {
    const [{ ordersCount, totalSpent }] = await list();
    return [ordersCount, totalSpent];
  };
  const unpaid = await place({}, false);
  expect(await spent()).toEqual([0, 0]);
  const paid = await place();
  const other = await place();
  expect(await spent()).toEqual([2, 225.5]);
  const { gateway } = feira.context;
  await gateway.refundAsMerchant(await transactionOf(feira, paid), 12.74);
  expect(await spent()).toEqual([2, 212.76]);
  await gateway.refundAsMerchant(await transactionOf(feira, paid), 0.01);
  expect(await spent()).toEqual([2, 212.75]);
  await store.post(`/orders/${paid}/refund`, undefined);
  expect(await spent()).toEqual([2, 112.75]);
  await store.post(`/orders/${other}/refund`, { restock: true });
  expect(await spent()).toEqual([2, 0]);
  await gateway.decide(await transactionOf(feira, unpaid), 'canceled');
  expect(await spent()).toEqual([2, 0]);
});

test('search finds customers by name, e-mail and phone, ignores accents, and treats wildcards literally', async () => {
  await place({ document: '1', name: 'João Conceição', email: 'joao@mail.example', phone: '21988887777' });
  await place({ document: '2', name: '100% Ana', email: 'ana_p@mail.example', phone: null });
  const found = async (text: string) =>
    (await list(`?search=${encodeURIComponent(text)}`)).map(({ name }) => name);
  expect(await found('conceicao')).toEqual(['João Conceição']);
  expect(await found('JOAO@')).toEqual(['João Conceição']);
  expect(await found('2198888')).toEqual(['João Conceição']);
  expect(await found('100%')).toEqual(['100% Ana']);
  expect(await found('ana_p')).toEqual(['100% Ana']);
  expect(await found('j_ao')).toEqual([]);
  expect(await found('mail.example')).toHaveLength(2);
});

test('the list has the most recent buyers first, whether it is read by page or by cursor', async () => {
  for (let document = 1; document <= 5; document++) await place({ document: String(document) });
  await place({ document: '2' });
  const documents = (await list()).map(({ document }) => document);
  expect(documents).toEqual(['2', '5', '4', '3', '1']);
  const paged = await Promise.all([1, 2, 3].map((page) => list(`?limit=2&page=${page}`)));
  expect(paged.flat().map(({ document }) => document)).toEqual(documents);
  const followed = (await allByCursor(store, '/customers?limit=2')) as unknown as { document: string }[];
  expect(followed.map(({ document }) => document)).toEqual(documents);
  const { meta } = (await store.get('/customers?limit=2')).body;
  expect(meta).toMatchObject({ page: 1, total: 5, totalPages: 3, hasMore: true });
});

test('customers of other stores are never returned; without the scope customers:read the response is a 403', async () => {
  await place();
  const other = await feira.store();
  expect((await other.get('/customers')).body.data).toEqual([]);
  const reader = await store.withScopes(['orders:read']);
  expect((await reader.get('/customers')).status).toBe(403);
});

test.each(['sort=name', 'limit=0', 'page=0', 'cursor=x', 'search=%00'])('%s returns 400', async (query) => {
  expect((await store.get(`/customers?${query}`)).status).toBe(400);
});

test('the list of customers reads no orders', async () => {
  await place();
  for (const search of [undefined, 'bia']) {
    const request = {
      list: 'customers',
      limit: 50,
      filters: search === undefined ? {} : { search },
      sort: '-lastOrderAt',
      page: 1,
      after: undefined,
    };
    const { db } = feira.context;
    const asked: Statement[] = [];
    const recording: Queryable = {
      query: (statement) => {
        asked.push(statement);
        return db.store('test').query(statement);
      },
    };
    await listCustomers(
      recording,
      new ListMemory(db.background('test').autocommit),
      store.workspaceId,
      request,
    );
    expect(asked.length).toBeGreaterThan(0);
    for (const statement of asked) {
      const plan = JSON.stringify(await db.store('test').query(sql`explain (format json) ${statement}`));
      expect(plan).toContain('"customers"');
      expect(plan).not.toContain('"orders"');
    }
  }
});
