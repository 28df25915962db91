import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LocalStorage } from '../../src/media/local-storage.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { pngOf, validImages } from '../support/images.js';
import { served, upload, uploadAndAttach } from '../support/media.js';

let feira: Feira;
let address: string;
let store: StoreClient;
let productId: string;
let bytes: Buffer;
let path: string;

beforeAll(async () => {
  feira = await openFeira();
  address = await feira.app.listen({ host: '127.0.0.1', port: 0 });
  store = await feira.store();
  productId = await newProduct(store);
  bytes = await pngOf(1);
  const attached = await uploadAndAttach(feira, store, productId, bytes);
  path = attached.body.url.replace('http://feira.test', '');
});
afterAll(() => feira.close());

const get = (headers: Record<string, string> = {}) => served(feira, path, headers);

test('a file is served with headers that allow caching it for a year and forbid sniffing and scripts', async () => {
  const answer = await get();
  expect(answer.statusCode).toBe(200);
  expect(answer.rawPayload.equals(bytes)).toBe(true);
  expect(answer.headers).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(bytes.length),
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    etag: expect.any(String),
    'accept-ranges': 'bytes',
  });
  expect(answer.headers).not.toHaveProperty('set-cookie');
});

test.each(['image/jpeg', 'image/png', 'image/webp', 'image/gif'] as const)(
  '%s is served with its own type',
  async (type) => {
    const image = (await validImages()).find((each) => each.type === type)!;
    const { body } = await uploadAndAttach(feira, store, productId, image.bytes, type);
    const answer = await served(feira, body.url);
    expect(answer.headers['content-type']).toBe(type);
    expect(answer.rawPayload.equals(image.bytes)).toBe(true);
  },
);

test('a client that already has the file gets a 304', async () => {
  const { headers } = await get();
  const again = await get({ 'if-none-match': headers.etag as string });
  expect(again.statusCode).toBe(304);
  expect(again.body).toBe('');
  expect(again.headers).toMatchObject({ etag: headers.etag, 'cache-control': headers['cache-control'] });
  expect((await get({ 'if-none-match': '"another"' })).statusCode).toBe(200);
});

test('a range request returns the requested bytes', async () => {
  const part = await get({ range: 'bytes=10-19' });
  expect(part.statusCode).toBe(206);
  expect(part.headers['content-range']).toBe(`bytes 10-19/${bytes.length}`);
  expect(part.rawPayload.equals(bytes.subarray(10, 20))).toBe(true);
  const last = await get({ range: 'bytes=-5' });
  expect(last.rawPayload.equals(bytes.subarray(-5))).toBe(true);
  expect((await get({ range: `bytes=${bytes.length}-` })).statusCode).toBe(416);
});

test('HEAD returns the headers without a body', async () => {
  const answer = await feira.app.inject({ method: 'HEAD', url: path });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(bytes.length),
  });
  expect(answer.rawPayload.length).toBe(0);
});

test.each(['PUT', 'POST', 'DELETE', 'PATCH'] as const)('%s cannot change a served file', async (method) => {
  const answer = await feira.app.inject({
    method,
    url: path,
    payload: 'x',
    headers: { 'content-type': 'text/plain' },
  });
  expect(answer.statusCode).toBeGreaterThanOrEqual(400);
  expect((await get()).rawPayload.equals(bytes)).toBe(true);
});

test('the files of a folder are not listed', async () => {
  for (const folder of [
    '/media',
    '/media/',
    '/media/product_images',
    '/media/product_images/',
    `${dirname(path)}/`,
    dirname(path),
  ]) {
    const answer = await served(feira, folder);
    expect({ folder, status: answer.statusCode }).toEqual({ folder, status: 404 });
    expect(answer.body).not.toContain('.png');
  }
});

test('files that are staged or still being written are not served', async () => {
  const key = await upload(feira, store, productId, bytes);
  const { published } = feira.context.storage as LocalStorage;
  const part = `${key}.0123456789ab.part`;
  mkdirSync(dirname(join(published, part)), { recursive: true });
  writeFileSync(join(published, part), 'half');
  for (const name of [
    `/media/${key}`,
    `/media/staging/${key}`,
    `/media/../staging/${key}`,
    `/staging/${key}`,
    `/uploads/${key}`,
    `/media/${part}`,
  ]) {
    const answer = await served(feira, name);
    expect({ name, refused: answer.statusCode === 404 || answer.statusCode === 403 }).toEqual({
      name,
      refused: true,
    });
    expect(answer.rawPayload.includes(bytes)).toBe(false);
  }
});

test('an unrelated file in the folder of published files is not served', async () => {
  const { published } = feira.context.storage as LocalStorage;
  for (const name of ['page.html', 'picture.svg', '.hidden.png', 'product_images/script.js'])
    writeFileSync(join(published, name), '<script>alert(1)</script>');
  for (const name of ['page.html', 'picture.svg', '.hidden.png', 'product_images/script.js'])
    expect((await served(feira, `/media/${name}`)).statusCode).toBe(404);
});

test('no path leads out of the folder of published files', async () => {
  const { published } = feira.context.storage as LocalStorage;
  writeFileSync(join(published, '..', 'secret.png'), 'outside');
  const escapes = [
    '/media/../secret.png',
    '/media/..%2fsecret.png',
    '/media/%2e%2e/secret.png',
    '/media/%2e%2e%2fsecret.png',
    '/media/%252e%252e%252fsecret.png',
    '/media/..\\secret.png',
    '/media/..%5csecret.png',
    '/media/product_images/../../secret.png',
    '/media/product_images/%2e%2e/%2e%2e/secret.png',
    '/media//../secret.png',
    '/media/./../secret.png',
    '/media/secret.png%00.png',
    '/media/..%00/secret.png',
    '/media/%c0%ae%c0%ae/secret.png',
    `/media/${join(published, '..', 'secret.png')}`,
    `/media/${encodeURIComponent(join(published, '..', 'secret.png'))}`,
    'http://x/media/../secret.png',
  ];
  for (const target of escapes) {
    const answer = await rawGet(target);
    expect({ target, status: answer.slice(9, 10) }).toEqual({ target, status: '4' });
    expect(answer).not.toContain('outside');
  }
});

/** Sends the path unchanged. fetch and inject would normalize it first. */
function rawGet(target: string): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET ${target} HTTP/1.1\r\nHost: feira.test\r\nConnection: close\r\n\r\n`),
    );
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}
