import { beforeAll, expect, test } from 'vitest';
import { observe } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
});

const VARIANTS = {
  types: [
    { name: 'Tamanho', options: ['P', 'M'] },
    { name: 'Cor', options: ['Azul'] },
  ],
  combinations: [
    { combination: 'M - Azul', sku: 'CAM-M-AZ' },
    { options: ['P', 'Azul'], sku: 'CAM-P-AZ', ean: '7891234567895', price: 79.9, quantity: 5 },
  ],
};

test('a product and its variations are created together, with one event', async () => {
  const { events, ...created } = await observe(feira, store, () =>
    store.post('/products', { name: 'Camiseta', price: 70, variants: VARIANTS }),
  );
  expect(created).toMatchObject({
    status: 201,
    body: {
      hasVariants: true,
      quantity: 5,
      images: [],
      variants: [
        { combination: 'P - Azul', sku: 'CAM-P-AZ', ean: '7891234567895', price: 79.9, quantity: 5 },
        { combination: 'M - Azul', sku: 'CAM-M-AZ', ean: null, price: 70, quantity: 0 },
      ],
    },
  });
  const { id, name } = created.body;
  expect(events).toMatchObject([{ event: 'product.created', data: { id, name } }]);
  expect((await store.get(`/products/${id}`)).body).toEqual(created.body);
});

test('a product created with variations equals one that gets them with PUT', async () => {
  const inOne = await store.post('/products', { name: 'In one call', price: 70, variants: VARIANTS });
  const { body } = await store.post('/products', { name: 'In two calls', price: 70 });
  await store.put(`/products/${body.id}/variants`, VARIANTS);
  const inTwo = await store.get(`/products/${body.id}`);
  const comparable = ({ variants, hasVariants, quantity }: typeof body) => ({
    hasVariants,
    quantity,
    variants: variants.map(
      ({ id: _id, updatedAt: _updatedAt, ...variation }: Record<string, unknown>) => variation,
    ),
  });
  expect(comparable(inOne.body)).toEqual(comparable(inTwo.body));
  // The types are stored too, so sending the same structure again changes nothing.
  const again = await observe(feira, store, () => store.put(`/products/${inOne.body.id}/variants`, VARIANTS));
  expect(again.events).toEqual([]);
});

test('a search for the SKU of a variation finds the product that was created with it', async () => {
  const variants = {
    types: [{ name: 'T', options: ['U'] }],
    combinations: [{ combination: 'U', sku: 'FIND-ME' }],
  };
  const { body } = await store.post('/products', { name: 'Found by SKU', price: 1, variants });
  const found = await store.get('/products?search=find-me');
  expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([body.id]);
});

test('a product created with an empty list of combinations is simple and has its own quantity', async () => {
  const variants = { types: [], combinations: [] };
  const { status, body } = await store.post('/products', { name: 'Simple', price: 1, quantity: 4, variants });
  expect([status, body.hasVariants, body.quantity, body.variants]).toEqual([201, false, 4, []]);
});

test('errors of the product and of its variations are reported together, with their location', async () => {
  const answer = await store.post('/products', {
    name: 'Faulty',
    price: -1,
    quantity: 3,
    variants: {
      types: [{ name: 'Tamanho', options: ['P', 'P'] }],
      combinations: [{ combination: 'X' }, { combination: 'P', price: -1 }],
    },
  });
  expectRejected(answer, 422, [
    'price',
    'quantity',
    'variants.types[0].options[1]',
    'variants.combinations[0]',
    'variants.combinations[1].price',
  ]);
});

test.each([[[]], [null], ['P'], [{}]])('variants: %j returns 422', async (variants) => {
  const answer = await store.post('/products', { name: 'Wrong', price: 1, variants });
  expect(answer.status).toBe(422);
  expect(answer.body.details[0].field).toMatch(/^variants/);
});

test('a duplicate SKU is rejected, and no product is created', async () => {
  const variants = {
    types: [{ name: 'T', options: ['A', 'B'] }],
    combinations: [
      { combination: 'A', sku: 'SAME' },
      { combination: 'B', sku: 'SAME' },
    ],
  };
  const body = { name: 'Twice', price: 1, variants };
  const { events, ...answer } = await observe(feira, store, () => store.post('/products', body));
  expect([answer.status, answer.body.code, events]).toEqual([409, 'duplicate_sku', []]);
  expect((await store.post('/products', { name: 'Twice', price: 1 })).status).toBe(201);
});

test('a name that another product has is rejected, without an event', async () => {
  await store.post('/products', { name: 'Taken', price: 1 });
  const { events, ...answer } = await observe(feira, store, () =>
    store.post('/products', { name: 'Taken', price: 1, variants: VARIANTS }),
  );
  expect([answer.status, answer.body.code, events]).toEqual([409, 'duplicate_name', []]);
});

test('a call that is repeated with the same Idempotency-Key creates one product', async () => {
  const body = { name: 'Keyed', price: 1, variants: VARIANTS };
  const key = { 'idempotency-key': 'varied' };
  const first = await store.post('/products', body, key);
  const again = await store.post('/products', body, key);
  expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', first.body]);
});
