import fs, { createWriteStream, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { LocalStorage } from '../../src/media/local-storage.js';
import { newProduct } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { pngOf } from '../support/images.js';
import { askUpload, put, storedFiles, upload } from '../support/media.js';

let feira: Feira;
let address: string;
let storage: LocalStorage;
let store: StoreClient;
let productId: string;
const lines: string[] = [];

beforeAll(async () => {
  feira = await openFeira({ logTo: { write: (line: string) => void lines.push(line) } });
  address = await feira.app.listen({ host: '127.0.0.1', port: 0 });
  storage = feira.context.storage as LocalStorage;
  store = await feira.store();
  productId = await newProduct(store);
});
afterAll(() => feira.close());
afterEach(() => {
  storage.createFile = createWriteStream;
});

/** Makes the storage fail after the first bytes of each file, like a full disk. */
function fillDisk(code = 'ENOSPC'): void {
  const write: typeof fs.write = ((
    fd: number,
    _bytes: unknown,
    _at: number,
    _length: number,
    _to: unknown,
    done,
  ) =>
    fs.write(fd, 'first bytes', () =>
      (done as (error: Error) => void)(
        Object.assign(new Error(`${code}: write failed`), { code, syscall: 'write' }),
      ),
    )) as typeof fs.write;
  storage.createFile = (path) =>
    createWriteStream(path, { fs: { ...fs, write, writev: undefined as never } });
}

const partsOf = (key: string) => storedFiles(feira).filter((name) => name.includes(key));

test.each([
  ['ENOSPC', 507, 'InsufficientStorage'],
  ['EDQUOT', 507, 'InsufficientStorage'],
  ['EIO', 503, 'ServiceUnavailable'],
])(
  'a PUT that fails with %s returns %i, is logged, and leaves no partial file',
  async (code, status, name) => {
    const bytes = Buffer.alloc(3_000_000, 7);
    const asked = await askUpload(store, productId, 'image/png', bytes.length);
    fillDisk(code);
    lines.length = 0;
    const answer = await rawPutAndNext(asked.uploadUrl, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} .*connection: close.*<Code>${name}</Code>`, 's'));
    // The connection is closed after the response. The pipelined second request is not answered and does not hang.
    expect(answer.match(/HTTP\/1.1/g)).toHaveLength(1);
    expect(partsOf(asked.key)).toEqual([]);
    expect(lines.filter((line) => line.includes('"level":"error"') && line.includes(code))).toHaveLength(1);
    storage.createFile = createWriteStream;
    expect(await put(feira, asked, 'image/png', bytes)).toBe(200);
  },
);

test('attaching an image while the disk is full returns 503 and changes nothing, and works once there is space', async () => {
  const key = await upload(feira, store, productId, await pngOf(1));
  fillDisk();
  const refused = await store.post(`/products/${productId}/images`, { key });
  expectRejected(refused, 503);
  expect(refused.body.code).toBe('storage_unavailable');
  expect(refused.headers['retry-after']).toBe('5');
  expect(partsOf(key)).toEqual([`staging/${key}`]);
  expect((await store.get(`/products/${productId}/images`)).body.data).toEqual([]);
  storage.createFile = createWriteStream;
  expect((await store.post(`/products/${productId}/images`, { key })).status).toBe(201);
});

test('an upload URL accepts ten uploads and rejects the eleventh', async () => {
  const bytes = await pngOf(1);
  const asked = await askUpload(store, productId, 'image/png', bytes.length);
  for (let time = 0; time < 10; time++) expect(await put(feira, asked, 'image/png', bytes)).toBe(200);
  expect(await put(feira, asked, 'image/png', bytes)).toBe(403);
  expect((await store.post(`/products/${productId}/images`, { key: asked.key })).status).toBe(201);
  const other = await askUpload(store, productId, 'image/png', bytes.length);
  expect(await put(feira, other, 'image/png', bytes)).toBe(200);
});

test('only the operating-system user of the server can access the stored files and their folders', async () => {
  const key = await upload(feira, store, productId, await pngOf(1));
  await store.post(`/products/${productId}/images`, { key });
  const folder = join(storage.published, '..');
  const modeOf = (name: string) => statSync(join(folder, name)).mode & 0o777;
  for (const name of ['.', 'files', 'files/product_images', `files/product_images/${productId}`, 'staging'])
    expect({ name, mode: modeOf(name) }).toEqual({ name, mode: 0o700 });
  for (const name of [`files/${key}`, `staging/${key}`])
    expect({ name, mode: modeOf(name) }).toEqual({ name, mode: 0o600 });
});

/** Sends a PUT and a pipelined second request. Returns all responses received until the connection is closed. */
function rawPutAndNext(url: string, bytes: Buffer): Promise<string> {
  const { pathname, search } = new URL(url);
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname);
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
    const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Length: ${bytes.length}\r\n\r\n`;
    socket.write(
      Buffer.concat([Buffer.from(head), bytes, Buffer.from('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')]),
    );
  });
}
