import { beforeAll, expect, test } from 'vitest';
import type { ImageType } from '../../src/media/image-types.js';
import { deepPng, emptyParts, gifBomb, jpegBomb, pngBomb, pngTextBomb, webpBomb } from '../support/bombs.js';
import { newProduct } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import type { Answer, Feira, StoreClient } from '../support/feira.js';
import { pngOf } from '../support/images.js';
import { storedFiles, upload, uploadAndAttach } from '../support/media.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  productId = await newProduct(store);
  // The first image loads libraries. Their memory must not be counted as memory that a bomb uses.
  expect((await uploadAndAttach(feira, store, productId, await pngOf(1))).status).toBe(201);
});

/** Attaches an image. Also returns the peak growth of the memory of the process, in megabytes. */
async function attach(
  bytes: Buffer,
  type: ImageType,
): Promise<{ answer: Answer; megabytes: number; key: string }> {
  const key = await upload(feira, store, productId, bytes, type);
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 2);
  const answer = await store.post(`/products/${productId}/images`, { key });
  clearInterval(watch);
  const megabytes = (Math.max(most, process.memoryUsage.rss()) - before) / 1e6;
  return { answer, megabytes, key };
}

test.each([
  ['a PNG', 'image/png', () => pngBomb(14_000, 14_000)],
  ['a JPEG', 'image/jpeg', () => jpegBomb(14_000, 14_000)],
  ['a WebP', 'image/webp', () => webpBomb(14_000, 14_000)],
  ['a GIF', 'image/gif', () => gifBomb(14_000, 14_000)],
] as const)(
  '%s of 14,000 × 14,000 pixels is rejected before a pixel is decoded',
  async (_name, type, make) => {
    const { answer, megabytes, key } = await attach(await make(), type);
    expectRejected(answer, 422, ['key']);
    expect(answer.body.details[0].message).toContain('has 14000 × 14000 pixels');
    expect(megabytes).toBeLessThan(100);
    expect(storedFiles(feira).filter((name) => name.includes(key))).toEqual([]);
  },
);

test('a GIF of a thousand large frames is rejected before a pixel is decoded', async () => {
  const { answer, megabytes } = await attach(gifBomb(1_000, 1_000, 1_000), 'image/gif');
  expectRejected(answer, 422, ['key']);
  expect(answer.body.details[0].message).toContain('has 1000 frames of 1000 × 1000 pixels');
  expect(megabytes).toBeLessThan(100);
});

test('an image just over 50 megapixels is rejected, and one of exactly 50 megapixels is accepted', async () => {
  expectRejected((await attach(pngBomb(10_000, 5_001), 'image/png')).answer, 422, ['key']);
  const { answer, megabytes } = await attach(pngBomb(10_000, 5_000), 'image/png');
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ width: 10_000, height: 5_000 });
  expect(megabytes).toBeLessThan(100);
});

test('an image under 50 megapixels with 16-bit samples is rejected because of its decoded size', async () => {
  const { answer } = await attach(deepPng(7_000, 5_000), 'image/png');
  expectRejected(answer, 422, ['key']);
  expect(answer.body.details[0].message).toContain('267 MB decoded; the maximum is 256 MB');
});

test('an image with compressed comments that would inflate to a gigabyte is accepted, and they are not inflated', async () => {
  const { answer, megabytes } = await attach(await pngTextBomb(), 'image/png');
  expect(answer.status).toBe(201);
  expect(megabytes).toBeLessThan(100);
});

test('a file of 500,000 tiny frames, or of 800,000 empty chunks, is rejected because of their number', async () => {
  const frames = await attach(gifBomb(1, 1, 500_000), 'image/gif');
  expectRejected(frames.answer, 422, ['key']);
  expect(frames.answer.body.details[0].message).toContain('more than 5000 frames');
  const small = pngBomb(8, 8);
  const empty = emptyParts(800_000);
  const parts = await attach(Buffer.concat([small.subarray(0, 33), empty, small.subarray(33)]), 'image/png');
  expectRejected(parts.answer, 422, ['key']);
  expect(parts.answer.body.details[0].message).toContain('more than 50000 chunks');
});
