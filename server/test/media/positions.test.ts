import { beforeAll, beforeEach, expect, test } from 'vitest';
import { newProduct, observe } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import type { Answer, Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;
let productId: string;
let images: string;

beforeAll(async () => {
  feira = await sharedFeira();
});
beforeEach(async () => {
  store = await feira.store();
  productId = await newProduct(store);
  images = `/products/${productId}/images`;
});

const address = (name: string) => `https://cdn.example/${name}.png`;
const add = (name: string, order?: number) =>
  store.post(images, { url: address(name), ...(order !== undefined && { order }) });

/** Returns the names of the images in their order, and checks that the positions are 0 … n−1. */
async function names(): Promise<string> {
  const { data } = (await store.get(images)).body;
  expect(data.map(({ order }: { order: number }) => order)).toEqual([...data.keys()]);
  return data.map(({ url }: { url: string }) => /(\w+)\.png$/.exec(url)![1]).join('');
}

async function addAll(word: string): Promise<string[]> {
  const ids: string[] = [];
  for (const name of word) ids.push((await add(name)).body.id);
  return ids;
}

const updated = () => [{ event: 'product.updated', data: { id: productId, fields: ['images'] } }];

test('an image sent without a position is added last', async () => {
  expect((await add('a')).body.order).toBe(0);
  expect((await add('b')).body.order).toBe(1);
  expect(await names()).toBe('ab');
});

test('an image added at an occupied position shifts the image that was there and all later ones by one', async () => {
  await addAll('abc');
  expect((await add('x', 0)).body.order).toBe(0);
  expect(await names()).toBe('xabc');
  expect((await add('y', 2)).body.order).toBe(2);
  expect(await names()).toBe('xaybc');
});

test('a position beyond the end adds the image last', async () => {
  await addAll('ab');
  expect((await add('c', 2)).body.order).toBe(2);
  expect((await add('d', 2_147_483_647)).body.order).toBe(3);
  expect(await names()).toBe('abcd');
});

test.each([-1, 0.5, '1', null, 2_147_483_648, true])('the position %j is rejected', async (order) => {
  const [id] = await addAll('a');
  expectRejected(await store.post(images, { url: address('b'), order }), 422, ['order']);
  expectRejected(await store.patch(`${images}/${id}`, { order }), 422, ['order']);
  expect(await names()).toBe('a');
});

test.each([
  [0, 3, 'bcda'],
  [3, 0, 'dabc'],
  [1, 2, 'acbd'],
  [2, 1, 'acbd'],
  [0, 99, 'bcda'],
  [3, 3, 'abcd'],
])('moving the image at position %i to %i keeps the order of the others', async (from, to, expected) => {
  const ids = await addAll('abcd');
  const moved = await store.patch(`${images}/${ids[from]}`, { order: to });
  expect(moved.status).toBe(200);
  expect(moved.body).toMatchObject({ id: ids[from], order: Math.min(to, 3) });
  expect(await names()).toBe(expected);
});

test('a removed image leaves no gap', async () => {
  const ids = await addAll('abcd');
  const removed = await store.delete(`${images}/${ids[1]}`);
  expect({ status: removed.status, body: removed.body }).toEqual({
    status: 200,
    body: { id: ids[1], deleted: true },
  });
  expect(await names()).toBe('acd');
  expectRejected(await store.delete(`${images}/${ids[1]}`), 404);
});

test('an unknown image, or an image of another product or store, is not found', async () => {
  const [id] = await addAll('a');
  const other = await feira.store();
  const elsewhere = await newProduct(store);
  const theirs = await newProduct(other);
  const misses: (() => Promise<Answer>)[] = [
    () => store.delete(`/products/${elsewhere}/images/${id}`),
    () => store.patch(`/products/${elsewhere}/images/${id}`, { order: 0 }),
    () => other.delete(`${images}/${id}`),
    () => other.delete(`/products/${theirs}/images/${id}`),
    () => other.get(images),
    () => store.delete(`${images}/x`),
    () => store.patch(`${images}/01a1df25-7929-7c23-b2dc-ac78e5c21043`, { order: 0 }),
  ];
  for (const miss of misses) expectRejected(await miss(), 404);
  expect(await names()).toBe('a');
});

test('every change emits product.updated with fields: ["images"], and a call that changes nothing emits no event', async () => {
  const added = await observe(feira, store, () => add('a'));
  expect(added.events).toEqual(updated());
  await add('b');
  const moved = await observe(feira, store, () => store.patch(`${images}/${added.body.id}`, { order: 1 }));
  expect(moved.events).toEqual(updated());
  const unmoved = await observe(feira, store, () => store.patch(`${images}/${added.body.id}`, { order: 7 }));
  expect({ status: unmoved.status, events: unmoved.events }).toEqual({ status: 200, events: [] });
  const removed = await observe(feira, store, () => store.delete(`${images}/${added.body.id}`));
  expect(removed.events).toEqual(updated());
  const refused = await observe(feira, store, () => store.post(images, { url: address('c'), order: -1 }));
  expect(refused.events).toEqual([]);
});

test('media:write can change images but not read them; products:read and products:write together can read but not change them', async () => {
  const [id] = await addAll('ab');
  const writer = await store.withScopes(['media:write']);
  const reader = await store.withScopes(['products:read', 'products:write']);
  expectRejected(await writer.get(images), 403);
  expect((await reader.get(images)).status).toBe(200);
  expectRejected(await reader.post(images, { url: address('c') }), 403);
  expectRejected(await reader.patch(`${images}/${id}`, { order: 1 }), 403);
  expectRejected(await reader.delete(`${images}/${id}`), 403);
  expect((await writer.patch(`${images}/${id}`, { order: 1 })).status).toBe(200);
});

test('an image attached twice with the same Idempotency-Key is added once, and the response is replayed', async () => {
  const headers = { 'idempotency-key': 'once' };
  const first = await store.post(images, { url: address('a') }, headers);
  const again = await store.post(images, { url: address('a') }, headers);
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect([first, again].map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true']);
  expect(await names()).toBe('a');
});
