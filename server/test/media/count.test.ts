import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newId } from '../../src/platform/schema/ids.js';
import { newProduct } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { pngOf } from '../support/images.js';
import { upload } from '../support/media.js';
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

const address = (number: number) => ({ url: `https://cdn.example/${number}.png` });

async function attachFifty(): Promise<void> {
  for (let i = 0; i < 50; i++) expect((await store.post(images, address(i))).status).toBe(201);
}

test('exactly fifty of sixty images attached concurrently are accepted', async () => {
  const bytes = await pngOf(1);
  const keys: string[] = [];
  for (let i = 0; i < 10; i++) keys.push(await upload(feira, store, productId, bytes));
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      store.post(images, i % 6 === 0 ? { key: keys[i / 6] } : { ...address(i), order: i % 4 }),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(10);
  const { data } = (await store.get(images)).body;
  expect(data.map(({ order }: { order: number }) => order)).toEqual([...Array(50).keys()]);
});

test('a fifty-first image is rejected, and its key can be attached once another image is removed', async () => {
  await attachFifty();
  const key = await upload(feira, store, productId, await pngOf(1));
  const refused = await store.post(images, { key });
  expectRejected(refused, 422, ['key']);
  expect(refused.body.details[0].message).toContain('50 images');
  expectRejected(await store.post(images, address(51)), 422, ['url']);
  const { data } = (await store.get(images)).body;
  await store.delete(`${images}/${data[7].id}`);
  expect((await store.post(images, { key })).status).toBe(201);
});

test('the database itself rejects a fifty-first image', async () => {
  await attachFifty();
  const insert = feira.context.db.store('test').autocommit.query(sql`
    insert into product_images (workspace_id, product_id, id, position, url)
    values (${store.workspaceId}, ${productId}, ${newId()}, 50, 'https://cdn.example/x.png')`);
  await expect(insert).rejects.toMatchObject({ code: '23514', constraint: 'product_images_limit' });
});
