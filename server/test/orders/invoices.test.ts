import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct, observe } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { dataOf } from '../support/orders.js';
import { sharedFeira } from '../support/shared-feira.js';
import { order } from '../support/shop.js';

/** A published access key of a fiscal document. The CNPJ of its issuer, 0X0J92JY000196, contains letters. */
const KEY = '3526050X0J92JY000196570010000006041448679011';
const OTHER_KEY = '35260112345678000195550010000006041448679017';

let feira: Feira;
let store: StoreClient;
let productId: string;
let orderId: string;

beforeAll(async () => {
  feira = await sharedFeira();
});
beforeEach(async () => {
  store = await feira.store();
  productId = await newProduct(store, { quantity: 10 });
  orderId = await place();
});

const place = () => order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 });
const add = (body: object, headers: Record<string, string> = {}, id = orderId) =>
  store.post(`/orders/${id}/invoices`, body, headers);
const read = async () => (await store.get(`/orders/${orderId}`)).body;
const list = async () => (await store.get(`/orders/${orderId}/invoices`)).body.data;

describe('an invoice', () => {
  test('is stored with all its fields, is listed, is part of the order, and emits an event', async () => {
    const sent = {
      type: 'nfe',
      key: KEY,
      number: '604',
      series: '001',
      amount: 178.3,
      xmlUrl: 'https://erp.example/604.xml?a=1&b=2',
      pdfUrl: 'http://erp.example/604.pdf',
    };
    const added = await observe(feira, store, () => add({ ...sent, issuedAt: '2026-05-04T10:00:00-03:00' }));
    const record = { ...sent, issuedAt: '2026-05-04T13:00:00.000Z', createdAt: expect.any(String) };
    expect([added.status, added.body]).toEqual([201, record]);
    expect(added.events).toEqual([{ event: 'order.invoiced', data: { orderId, key: KEY } }]);
    expect(await list()).toEqual([added.body]);
    expect((await read()).invoices).toEqual([added.body]);
    expect((await store.get('/orders')).body.data[0].invoices).toEqual([added.body]);
  });

  test('needs only its type and key', async () => {
    const { status, body } = await add({ type: 'dce', key: OTHER_KEY });
    expect([status, body]).toEqual([
      201,
      {
        type: 'dce',
        key: OTHER_KEY,
        number: null,
        series: null,
        issuedAt: null,
        amount: null,
        xmlUrl: null,
        pdfUrl: null,
        createdAt: expect.any(String),
      },
    ]);
  });

  test('can be sent with integers as number and series, which are returned as text', async () => {
    const { body } = await add({ type: 'nfe', key: KEY, number: 604, series: 1 });
    expect([body.number, body.series]).toEqual(['604', '1']);
  });

  test('can be removed and added again', async () => {
    await add({ type: 'nfe', key: KEY });
    const removed = await store.delete(`/orders/${orderId}/invoices/${KEY}`);
    expect([removed.status, removed.body]).toEqual([200, { id: KEY, deleted: true }]);
    expect(await list()).toEqual([]);
    expect((await read()).invoices).toEqual([]);
    expect((await store.delete(`/orders/${orderId}/invoices/${KEY}`)).status).toBe(404);
    expect((await add({ type: 'nfe', key: KEY })).status).toBe(201);
  });

  test('makes its order appear in a delta sync when it is added and when it is removed', async () => {
    const changes = async (cursor: string) =>
      (await store.get(`/orders?sort=updatedAt&cursor=${encodeURIComponent(cursor)}`)).body;
    let { meta } = (await store.get('/orders?sort=updatedAt')).body;
    for (const change of [
      () => add({ type: 'nfe', key: KEY }),
      () => store.delete(`/orders/${orderId}/invoices/${KEY}`),
    ]) {
      const before = (await read()).updatedAt;
      await change();
      const page = await changes(meta.nextCursor);
      expect(page.data.map(({ id }: { id: string }) => id)).toEqual([orderId]);
      expect(Date.parse(page.data[0].updatedAt)).toBeGreaterThan(Date.parse(before));
      meta = page.meta;
    }
  });
});

describe('a key', () => {
  test('with any one digit or letter changed, or a letter in lower case, is rejected', async () => {
    const changed = [...KEY].map((character, at) => {
      const other = /\d/.test(character) ? String((Number(character) + 1) % 10) : character.toLowerCase();
      return KEY.slice(0, at) + other + KEY.slice(at + 1);
    });
    const neighbors = [...KEY].flatMap((character, at) =>
      /[A-Z]/.test(character)
        ? [KEY.slice(0, at) + String.fromCharCode(character.charCodeAt(0) - 1) + KEY.slice(at + 1)]
        : [],
    );
    for (const key of [...changed, ...neighbors])
      expectRejected(await add({ type: 'nfe', key }), 422, ['key']);
    expect(await list()).toEqual([]);
  });

  test.each([
    undefined,
    null,
    7,
    '',
    KEY.slice(1),
    `${KEY}0`,
    ` ${KEY}`,
    `${KEY}\n`,
    KEY.replace('3526', '35 26'),
    `A${KEY.slice(1)}`,
    `${KEY.slice(0, 18)}A${KEY.slice(19)}`,
    KEY.replace('X', 'É'),
  ])('%j is rejected', async (key) => {
    expectRejected(await add({ type: 'nfe', key }), 422, ['key']);
  });

  test('used twice in a store is a conflict, even for another order or in parallel requests', async () => {
    const second = await place();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        add({ type: 'nfe', key: KEY }, {}, index % 2 ? orderId : second),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused.map(({ body }) => body.code)).toEqual(Array(9).fill('duplicate_invoice'));
    expect(await dataOf(feira, store, 'order.invoiced')).toHaveLength(1);
  });

  test('may be used in another store', async () => {
    await add({ type: 'nfe', key: KEY });
    const other = await feira.store();
    const product = await newProduct(other, { quantity: 1 });
    const id = await order(feira, other.workspaceId, { productId: product, variantId: null, quantity: 1 });
    expect((await other.post(`/orders/${id}/invoices`, { type: 'nfe', key: KEY })).status).toBe(201);
  });
});

describe('invalid calls', () => {
  test.each<[string, unknown]>([
    ['type', undefined],
    ['type', 'nfce'],
    ['number', '12a'],
    ['number', '1234567890'],
    ['number', 1_000_000_000],
    ['series', '1000'],
    ['series', -1],
    ['series', 1.5],
    ['issuedAt', '2026-02-30T10:00:00Z'],
    ['issuedAt', '2026-05-04'],
    ['amount', -1],
    ['amount', 1.001],
    ['amount', '10'],
    ['xmlUrl', 'javascript:alert(1)'],
    ['xmlUrl', '/604.xml'],
    ['pdfUrl', 'ftp://erp.example/604.pdf'],
    ['pdfUrl', `https://erp.example/${'x'.repeat(2048)}`],
  ])('%s %j returns 422', async (field, value) => {
    expectRejected(await add({ type: 'nfe', key: KEY, [field]: value }), 422, [field]);
    expect(await list()).toEqual([]);
  });

  test('a 21st invoice of an order returns 409', async () => {
    await feira.context.db.store('test').autocommit.query(sql`
      insert into invoices (workspace_id, key, order_id, type)
      select ${store.workspaceId}, lpad(n::text, 44, '0'), ${orderId}, 'nfe' from generate_series(1, 20) n`);
    const { status, body } = await add({ type: 'nfe', key: KEY });
    expect([status, body.code]).toEqual([409, 'invoice_limit']);
    expect(await list()).toHaveLength(20);
  });

  test('a wrong scope returns 403; an unknown order or invoice, an order of another store or an invoice of another order returns 404', async () => {
    await add({ type: 'nfe', key: KEY });
    const [reader, writer] = [
      await store.withScopes(['orders:read']),
      await store.withScopes(['orders:write']),
    ];
    expect((await reader.post(`/orders/${orderId}/invoices`, { type: 'nfe', key: OTHER_KEY })).status).toBe(
      403,
    );
    expect((await reader.delete(`/orders/${orderId}/invoices/${KEY}`)).status).toBe(403);
    expect((await writer.get(`/orders/${orderId}/invoices`)).status).toBe(403);
    const other = await feira.store();
    expect((await other.get(`/orders/${orderId}/invoices`)).status).toBe(404);
    expect((await other.post(`/orders/${orderId}/invoices`, { type: 'nfe', key: OTHER_KEY })).status).toBe(
      404,
    );
    expect((await other.delete(`/orders/${orderId}/invoices/${KEY}`)).status).toBe(404);
    expect((await store.delete(`/orders/${await place()}/invoices/${KEY}`)).status).toBe(404);
    expect((await add({ type: 'nfe', key: OTHER_KEY }, {}, 'x')).status).toBe(404);
    expect((await store.delete(`/orders/${orderId}/invoices/%00`)).status).toBe(404);
    expect(await list()).toHaveLength(1);
  });
});

test('a repeated call with the same Idempotency-Key returns the first response and adds nothing', async () => {
  const key = { 'idempotency-key': 'invoice 604' };
  const first = await add({ type: 'nfe', key: KEY }, key);
  const again = await add({ type: 'nfe', key: KEY }, key);
  expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([201, first.body, 'true']);
  expect(await dataOf(feira, store, 'order.invoiced')).toHaveLength(1);
});
