import { crc32 } from 'node:zlib';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { newProduct } from '../support/catalog.js';
import type { Answer, Feira, StoreClient } from '../support/feira.js';
import { pngOf } from '../support/images.js';
import { askUpload, put, served, upload } from '../support/media.js';
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

async function expectOrdered(count: number): Promise<{ id: string; url: string; key: string | null }[]> {
  const { data } = (await store.get(images)).body;
  expect(data.length).toBe(count);
  expect(data.map(({ order }: { order: number }) => order)).toEqual([...data.keys()]);
  return data;
}

const imageEvents = async () =>
  (await feira.events(store.workspaceId)).filter(({ event }) => event === 'product.updated');

test('fifty images attached concurrently at various positions end up with the positions 0 to 49', async () => {
  const bytes = await Promise.all([1, 2, 3, 4, 5].map((seed) => pngOf(seed)));
  const keys: string[] = [];
  for (let i = 0; i < 25; i++) keys.push(await upload(feira, store, productId, bytes[i % 5]!));
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => {
      const order = i % 3 === 0 ? {} : { order: i % 7 };
      const what = i % 2 ? { key: keys[(i - 1) / 2] } : { url: `https://cdn.example/${i}.png` };
      return store.post(images, { ...what, ...order });
    }),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201));
  const attached = await expectOrdered(50);
  expect(new Set(attached.map(({ id }) => id)).size).toBe(50);
  expect(await imageEvents()).toHaveLength(50);
});

test('when images are attached, moved and removed concurrently, the positions stay consecutive', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 20; i++)
    ids.push((await store.post(images, { url: `https://cdn.example/${i}.png` })).body.id);
  const answers = await Promise.all(
    ids.flatMap((id, i): Promise<Answer>[] => [
      store.post(images, { url: `https://cdn.example/new${i}.png`, order: i % 5 }),
      i % 2 ? store.delete(`${images}/${id}`) : store.patch(`${images}/${id}`, { order: (i * 7) % 20 }),
    ]),
  );
  expect(answers.filter(({ status }) => status >= 400)).toEqual([]);
  await expectOrdered(30);
});

test('ten concurrent removals of an image remove it once', async () => {
  const first = await store.post(images, { url: 'https://cdn.example/a.png' });
  await store.post(images, { url: 'https://cdn.example/b.png' });
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => store.delete(`${images}/${first.body.id}`)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
  await expectOrdered(1);
  expect(await imageEvents()).toHaveLength(3);
});

test('only one of twenty concurrent requests with the same upload key attaches the image', async () => {
  const bytes = await pngOf(1);
  const key = await upload(feira, store, productId, bytes);
  const answers = await Promise.all(Array.from({ length: 20 }, () => store.post(images, { key })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  const [image] = await expectOrdered(1);
  expect((await served(feira, image!.url)).rawPayload.equals(bytes)).toBe(true);
  expect(await imageEvents()).toHaveLength(1);
});

test('the published file is the verified one, however often the upload is replaced meanwhile', async () => {
  // The upload URL accepts both files, because both are padded to the same length with a text chunk.
  const [smallPng, largePng] = [
    await pngOf(1, { width: 20, height: 30 }),
    await pngOf(2, { width: 31, height: 17 }),
  ];
  const [small, large] = ofOneLength(smallPng, largePng);
  for (let round = 0; round < 10; round++) {
    const asked = await askUpload(store, productId, 'image/png', small.length);
    await put(feira, asked, 'image/png', small);
    let attaching = true;
    const attach = Promise.all(
      Array.from({ length: 4 }, () => store.post(images, { key: asked.key })),
    ).finally(() => {
      attaching = false;
    });
    // One upload URL accepts at most ten uploads.
    for (let i = 0; attaching && i < 9; i++)
      expect(await put(feira, asked, 'image/png', i % 2 ? small : large)).toBe(200);
    const made = (await attach).find(({ status }) => status === 201)!;
    const file = (await served(feira, made.body.url)).rawPayload;
    const verified = made.body.width === 20 ? smallPng : largePng;
    expect(made.body.height).toBe(made.body.width === 20 ? 30 : 17);
    expect(file.equals(verified)).toBe(true);
  }
});

test('a product can be deleted while an image is being attached to it', async () => {
  const bytes = await pngOf(1);
  for (let round = 0; round < 5; round++) {
    const removed = await newProduct(store);
    const key = await upload(feira, store, removed, bytes);
    const [attached, deleted] = await Promise.all([
      store.post(`/products/${removed}/images`, { key }),
      store.delete(`/products/${removed}`),
    ]);
    expect([201, 404]).toContain(attached.status);
    expect(deleted.status).toBe(200);
    expect((await store.get(`/products/${removed}/images`)).status).toBe(404);
  }
});

function ofOneLength(one: Buffer, other: Buffer): [Buffer, Buffer] {
  const length = Math.max(one.length, other.length) + 20;
  const fill = (png: Buffer) => {
    const chunk = Buffer.alloc(length - png.length, 'x');
    chunk.writeUInt32BE(chunk.length - 12, 0);
    chunk.write('tEXtk\0', 4, 'latin1');
    chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
    return Buffer.concat([png.subarray(0, -12), chunk, png.subarray(-12)]);
  };
  return [fill(one), fill(other)];
}
