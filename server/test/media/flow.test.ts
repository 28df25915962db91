import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';

let feira: Feira;
let address: string;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await openFeira({ publicUrl: 'http://feira.test' });
  address = await feira.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
  productId = (await store.post('/products', { name: 'Shirt', price: 10 })).body.id;
});

/** Maps a public URL to the address on which the server listens in this test. */
const here = (url: string) => url.replace('http://feira.test', address);

test('a file is uploaded in three steps and served byte for byte', async () => {
  const bytes = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  const asked = await store.post('/uploads', {
    productId,
    contentType: 'image/png',
    contentLength: bytes.length,
  });
  expect(asked.status).toBe(201);
  expect(asked.body).toEqual({
    uploadUrl: expect.stringContaining('/uploads/'),
    key: expect.stringMatching(new RegExp(`^product_images/${productId}/[A-Za-z0-9_-]+\\.png$`)),
    expiresIn: 300,
    headers: { 'Content-Type': 'image/png', 'Content-Length': String(bytes.length) },
  });
  const put = await fetch(here(asked.body.uploadUrl), {
    method: 'PUT',
    headers: { 'Content-Type': 'image/png' },
    body: bytes,
  });
  expect(put.status).toBe(200);
  const attached = await store.post(`/products/${productId}/images`, { key: asked.body.key });
  expect(attached.status).toBe(201);
  expect(attached.body).toEqual({
    id: expect.any(String),
    productId,
    url: `http://feira.test/media/${asked.body.key}`,
    key: asked.body.key,
    order: 0,
    contentType: 'image/png',
    size: bytes.length,
    width: 40,
    height: 30,
    createdAt: expect.any(String),
  });
  const served = await fetch(here(attached.body.url));
  expect(served.status).toBe(200);
  expect(Buffer.from(await served.arrayBuffer()).equals(bytes)).toBe(true);
  expect(Object.fromEntries(served.headers)).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  expect((await store.get(`/products/${productId}`)).body.images).toEqual([attached.body]);
});
