import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { newProduct } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { type TestImage, validImages } from '../support/images.js';
import { served, uploadAndAttach } from '../support/media.js';
import { hasValidChecksums, privateImages, SECRET } from '../support/metadata.js';
import { sharedFeira } from '../support/shared-feira.js';

const images = await privateImages();

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  productId = await newProduct(store);
});

async function publish({ bytes, type }: Pick<TestImage, 'bytes' | 'type'>) {
  const { status, body } = await uploadAndAttach(feira, store, productId, bytes, type);
  expect({ status, body }).toMatchObject({ status: 201 });
  const file = (await served(feira, body.url)).rawPayload;
  return { image: body, file };
}

/** Decodes without rotating, so that a lost orientation does not affect the comparison. */
function pixelsOf(bytes: Buffer): Promise<Buffer> {
  return sharp(bytes, { animated: true, failOn: 'none' }).raw().toBuffer();
}

test.each(images)('the location and the texts in the $name are not published', async (image) => {
  expect(image.bytes.includes(SECRET)).toBe(true);
  const { file } = await publish(image);
  expect(file.includes(SECRET)).toBe(false);
  const { exif, xmp, iptc, comments } = await sharp(file).metadata();
  expect({ xmp, iptc, comments }).toEqual({ xmp: undefined, iptc: undefined, comments: undefined });
  expect(exif?.includes('GPS') ?? false).toBe(false);
});

test.each(images)('the $name keeps its pixels, frames, orientation and color profile', async (image) => {
  const { file, image: record } = await publish(image);
  expect((await pixelsOf(file)).equals(await pixelsOf(image.bytes))).toBe(true);
  const [before, after] = [await sharp(image.bytes).metadata(), await sharp(file).metadata()];
  expect(after.orientation).toBe(image.orientation);
  expect(after.icc).toEqual(before.icc);
  expect(after.icc !== undefined).toBe(image.icc ?? false);
  for (const field of ['format', 'width', 'height', 'channels', 'depth', 'pages', 'delay', 'loop'] as const)
    expect({ [field]: after[field] }).toEqual({ [field]: before[field] });
  expect(record.size).toBe(file.length);
  if (image.type === 'image/png') expect(hasValidChecksums(file)).toBe(true);
});

test.each(await validImages())('a published $name has the same pixels as the upload', async (image) => {
  const { file } = await publish(image);
  expect((await pixelsOf(file)).equals(await pixelsOf(image.bytes))).toBe(true);
});

test('a file without metadata to remove is published byte for byte', async () => {
  for (const { bytes, type } of (await validImages()).filter(({ name }) => PLAIN.includes(name))) {
    const { file } = await publish({ bytes, type });
    expect(file.equals(bytes)).toBe(true);
  }
});

const PLAIN = [
  'baseline JPEG',
  'progressive JPEG',
  'CMYK JPEG',
  'JPEG with a color profile',
  '8 bit PNG',
  'interlaced PNG',
  'lossy WebP',
  'animated WebP',
  'GIF of 1987',
  'animated GIF',
];
