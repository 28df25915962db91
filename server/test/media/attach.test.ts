import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newProduct, observe } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { pngOf } from '../support/images.js';
import { askUpload, put, served, upload, uploadAndAttach } from '../support/media.js';

let feira: Feira;
let store: StoreClient;
let productId: string;
let images: string;
let bytes: Buffer;

beforeAll(async () => {
  feira = await openFeira();
  bytes = await pngOf(1);
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
  productId = await newProduct(store);
  images = `/products/${productId}/images`;
});

describe('attaching by key:', () => {
  test('a key of another product, or of another store, is rejected and stays usable for its own product', async () => {
    const elsewhere = await newProduct(store);
    const other = await feira.store();
    const theirs = await newProduct(other);
    const keys = [
      await upload(feira, store, elsewhere, bytes),
      await upload(feira, other, theirs, bytes),
    ] as const;
    for (const key of keys) expectRejected(await store.post(images, { key }), 422, ['key']);
    expect((await store.get(images)).body.data).toEqual([]);
    expect((await store.post(`/products/${elsewhere}/images`, { key: keys[0] })).status).toBe(201);
    expect((await other.post(`/products/${theirs}/images`, { key: keys[1] })).status).toBe(201);
  });

  test.each([
    '../../etc/passwd',
    'product_images/../../../etc/passwd',
    'staging/x.png',
    'x',
    '',
    '/',
    'product_images/%2e%2e/x.png',
    'a\\b',
    7,
    null,
    ['x'],
    {},
    'k'.repeat(256),
  ])('the key %j is rejected', async (key) => {
    expectRejected(await store.post(images, { key }), 422, ['key']);
  });

  test('a key without an uploaded file is rejected, and accepted once the file is uploaded', async () => {
    const asked = await askUpload(store, productId, 'image/png', bytes.length);
    const refused = await store.post(images, { key: asked.key });
    expectRejected(refused, 422, ['key']);
    expect(refused.body.details[0].message).toContain('has no file');
    await put(feira, asked, 'image/png', bytes);
    expect((await store.post(images, { key: asked.key })).status).toBe(201);
  });

  test('a file that is sent after its upload URL has expired is not accepted, and its key stays unusable', async () => {
    const asked = await askUpload(store, productId, 'image/png', bytes.length);
    feira.clock.forward(301_000);
    expect(await put(feira, asked, 'image/png', bytes)).toBe(403);
    expectRejected(await store.post(images, { key: asked.key }), 422, ['key']);
  });

  test('a key can be attached only once', async () => {
    const key = await upload(feira, store, productId, bytes);
    const first = await store.post(images, { key });
    expect(first.status).toBe(201);
    const { events, ...second } = await observe(feira, store, () => store.post(images, { key }));
    expectRejected(second, 409);
    expect(events).toEqual([]);
    expect((await store.get(images)).body.data).toEqual([first.body]);
  });

  test('the key of a removed image is rejected, and the message says that the image was removed', async () => {
    const { body } = await uploadAndAttach(feira, store, productId, bytes);
    expect((await store.post(images, { key: body.key })).body.error).toBe('This key is already attached.');
    await store.delete(`${images}/${body.id}`);
    const again = await store.post(images, { key: body.key });
    expectRejected(again, 409);
    expect(again.body.error).toContain('was attached and then removed');
  });

  test('another PUT to the upload URL after the image was attached does not change what is served', async () => {
    const asked = await askUpload(store, productId, 'image/png', bytes.length);
    await put(feira, asked, 'image/png', bytes);
    const { body } = await store.post(images, { key: asked.key });
    const evil = Buffer.alloc(bytes.length, '<script>');
    expect(await put(feira, asked, 'image/png', evil)).toBe(200);
    expect((await served(feira, body.url)).rawPayload.equals(bytes)).toBe(true);
    expectRejected(await store.post(images, { key: asked.key }), 409);
  });

  test('a product that is unknown, deleted or of another store is not found', async () => {
    const key = await upload(feira, store, productId, bytes);
    const other = await feira.store();
    expectRejected(await other.post(images, { key }), 404);
    expectRejected(await store.post('/products/x/images', { key }), 404);
    await store.delete(`/products/${productId}`);
    expectRejected(await store.post(images, { key }), 404);
    expectRejected(await store.get(images), 404);
  });
});

describe('attaching by url:', () => {
  test('the address is stored as given, and nothing is fetched from it', async () => {
    let connections = 0;
    const server = createServer(() => connections++).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const url = `http://127.0.0.1:${port}/A%20picture.PNG?size=1&q=ü#here`;
    const attached = await store.post(images, { url });
    expect(attached.status).toBe(201);
    expect(attached.body).toEqual({
      id: expect.any(String),
      productId,
      url,
      key: null,
      order: 0,
      contentType: null,
      size: null,
      width: null,
      height: null,
      createdAt: expect.any(String),
    });
    expect((await store.get(images)).body.data).toEqual([attached.body]);
    expect((await store.get(`/products/${productId}`)).body.images).toEqual([attached.body]);
    await uploadAndAttach(feira, store, productId, bytes);
    await store.delete(`${images}/${attached.body.id}`);
    server.close();
    await once(server, 'close');
    expect(connections).toBe(0);
  });

  test('one address may be attached more than once', async () => {
    const url = 'https://cdn.example/a.jpg';
    expect((await store.post(images, { url })).status).toBe(201);
    expect((await store.post(images, { url })).body.order).toBe(1);
  });

  test.each([
    'https://cdn.example/logo.svg',
    'https://cdn.example/LOGO.SVG?x=1',
    'https://cdn.example/logo.svg#x',
    'https://cdn.example/logo%2Esvg',
    'https://cdn.example/logo.s%76g',
    '/relative.png',
    'relative.png',
    '//cdn.example/a.png',
    'ftp://cdn.example/a.png',
    'javascript:alert(1)',
    'data:image/png;base64,AAAA',
    'file:///etc/passwd',
    'http://',
    'https:///x.example/a.png',
    'https://?a.png',
    'https://x.example/a.png"><script>',
    "https://x.example/<script>alert('a.png')</script>",
    'https://x.example/a"b.png',
    'https://x.example/a.png\n',
    'https://x.example/a\r\nb.png',
    'https://x.exa\tmple/a.png',
    'https://x.example/a.png ',
    'https://x.example/a b.png',
    'https://x.example/a\u00a0b.png',
    'https://x.example/a\u0085b.png',
    '',
    'https://cdn.example/a\u0000.png',
    `https://cdn.example/${'a'.repeat(2048)}`,
    7,
    null,
  ])('the address %j is rejected', async (url) => {
    expectRejected(await store.post(images, { url }), 422, ['url']);
  });

  test('an SVG address is reported together with all other invalid fields, even if the product does not exist', async () => {
    const body = { url: 'https://x.example/a.svg', order: -1 };
    for (const path of [images, '/products/nope/images'])
      expectRejected(await store.post(path, body), 422, ['order', 'url']);
  });

  test('a URL that contains svg, but whose path does not end in .svg, is accepted', async () => {
    for (const url of [
      'https://svg.example/a.png',
      'https://x.example/a.svg/b.png',
      'https://x.example/a.png?f=.svg',
    ])
      expect((await store.post(images, { url })).status).toBe(201);
  });
});

test('a request with both key and url, or with neither, is rejected', async () => {
  const key = await upload(feira, store, productId, bytes);
  expect((await store.post(images, { key, url: 'https://cdn.example/a.png' })).status).toBe(422);
  expect((await store.post(images, {})).status).toBe(422);
  expect((await store.post(images, { order: 0 })).status).toBe(422);
  expect((await store.post(images, { key })).status).toBe(201);
});
