import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImageType } from '../../src/media/image-types.js';
import { verifyImage } from '../../src/media/verify.js';
import { pngChunk } from '../support/bombs.js';
import { newProduct } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { picture, type TestImage, validImages } from '../support/images.js';
import { served, storedFiles, upload, uploadAndAttach } from '../support/media.js';

const TYPES: ImageType[] = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];
const images = await validImages();
const of = (name: string) => images.find((image) => image.name === name)!.bytes;
const oneOfEach = TYPES.map((type) => images.find((image) => image.type === type)!);

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  productId = await newProduct(store);
});
afterAll(() => feira.close());

/** Expects that the file is rejected with this reason and deleted, and that its key is still rejected afterwards. */
async function expectDiscarded(bytes: Buffer, type: ImageType, found: RegExp): Promise<void> {
  // Move the clock, so that the limit of 60 upload URLs per minute is never reached.
  feira.clock.forward(2_000);
  const writer = await store.withScopes(['media:write']);
  const key = await upload(feira, writer, productId, bytes, type);
  const refused = await writer.post(`/products/${productId}/images`, { key });
  expectRejected(refused, 422, ['key']);
  expect(refused.body.details[0].message).toMatch(found);
  expect(storedFiles(feira).filter((name) => name.includes(key))).toEqual([]);
  expectRejected(await writer.post(`/products/${productId}/images`, { key }), 422, ['key']);
}

describe('a real image', () => {
  test.each(images)(
    '$name is accepted, and the verified bytes are served',
    async ({ bytes, type, width, height }) => {
      feira.clock.forward(2_000);
      const writer = await store.withScopes(['media:write']);
      const { status, body } = await uploadAndAttach(feira, writer, productId, bytes, type);
      expect({ status, body }).toMatchObject({
        status: 201,
        body: { contentType: type, width, height },
      });
      const verified = await verifyImage(bytes, type);
      const file = (await served(feira, body.url)).rawPayload;
      expect(verified).toEqual({ bytes: file, width, height });
      expect(body.size).toBe(file.length);
    },
  );
});

const HTML = Buffer.from('<!DOCTYPE html><html><script>alert(1)</script></html>');
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
const PDF = Buffer.from('%PDF-1.7\n1 0 obj <<>> endobj\ntrailer <<>>\n%%EOF');
const ZIP = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]);

describe('a file that is not a supported image', () => {
  test.each(TYPES)('HTML, SVG, PDF and zeros are rejected when declared as %s', async (type) => {
    await expectDiscarded(HTML, type, /HTML/);
    await expectDiscarded(SVG, type, /SVG/);
    await expectDiscarded(
      Buffer.concat([Buffer.from('\ufeff<?xml version="1.0"?>\n<!-- x -->\n'), SVG]),
      type,
      /SVG/,
    );
    await expectDiscarded(PDF, type, /PDF/);
    await expectDiscarded(Buffer.alloc(1_000), type, /not an image/);
    await expectDiscarded(Buffer.from([0]), type, /not an image/);
  });

  test.each([
    ['TIFF', () => picture().tiff().toBuffer()],
    ['AVIF', () => picture().avif().toBuffer()],
    ['HEIC', () => Buffer.from('\0\0\0\x18ftypheic\0\0\0\0', 'latin1')],
    ['JPEG 2000', () => Buffer.from('\0\0\0\x0cjP  \r\n\x87\n', 'latin1')],
    ['BMP', () => Buffer.from('BM\x46\0\0\0\0\0\0\0\x36\0\0\0', 'latin1')],
  ])('a file in the unsupported format %s is rejected', async (_format, make) => {
    await expectDiscarded(await make(), 'image/jpeg', /not an image/);
  });

  test('a file that only begins like an image is rejected', async () => {
    await expectDiscarded(
      Buffer.from('GIF89a/*<svg>*/=1;alert(document.domain)//;'),
      'image/gif',
      /broken image\/gif/,
    );
    for (const { type, bytes } of oneOfEach)
      await expectDiscarded(Buffer.concat([bytes.subarray(0, 24), HTML]), type, /broken/);
    for (const { type, bytes } of oneOfEach) await expectDiscarded(bytes.subarray(0, 12), type, /broken/);
  });
});

describe('an image that is also another kind of file', () => {
  test.each(oneOfEach)('$type followed by HTML is rejected', ({ type, bytes }) =>
    expectDiscarded(Buffer.concat([bytes, HTML]), type, /follows? its end/),
  );

  test.each([
    ['PDF', PDF, /PDF/],
    ['an archive', ZIP, /archive/],
    ['PHP', Buffer.from('\n<?php system($_GET[0]);'), /PHP/],
    ['SVG', SVG, /HTML/],
  ])('a JPEG followed by %s is rejected', (_what, tail, found) =>
    expectDiscarded(Buffer.concat([of('baseline JPEG'), tail]), 'image/jpeg', found),
  );

  test('a GIF that continues as a script is rejected', () =>
    expectDiscarded(
      Buffer.concat([of('GIF'), Buffer.from('*/=1;alert(1)')]),
      'image/gif',
      /13 bytes follow/,
    ));

  test.each(oneOfEach)('$type preceded by HTML is rejected', ({ type, bytes }) =>
    expectDiscarded(Buffer.concat([HTML, bytes]), type, /HTML/),
  );
});

describe('an image with invalid, missing or repeated parts', () => {
  const png = of('8 bit PNG');
  const [head, end] = [png.subarray(0, 33), png.subarray(-12)];

  test.each([
    [
      'an invalid chunk name',
      [head, pngChunk('pH]s', Buffer.alloc(9)), png.subarray(33)],
      /a chunk has an invalid name/,
    ],
    ['no data', [head, end], /contains no image/],
    ['no header', [png.subarray(0, 8), png.subarray(33)], /its first chunk is not IHDR/],
    [
      'a wrong checksum',
      [head, pngChunk('tEXt', Buffer.from('a\0b')).subarray(0, -1), Buffer.from([0]), png.subarray(33)],
      /checksum of its tEXt/,
    ],
  ])('a PNG with %s is rejected', (_what, parts, found) =>
    expectDiscarded(Buffer.concat(parts), 'image/png', found),
  );

  test('a JPEG that encodes its image twice is rejected', async () => {
    const jpeg = of('baseline JPEG');
    const scan = jpeg.subarray(jpeg.indexOf(Buffer.from([0xff, 0xda])), -2);
    const twice = Buffer.concat([jpeg.subarray(0, -2), scan, jpeg.subarray(-2)]);
    await expectDiscarded(twice, 'image/jpeg', /a scan references an unknown or repeated component/);
  });
});

describe('a damaged image', () => {
  const whole = images.filter(({ name }) => !name.includes('after its end'));

  test.each(whole)('$name is rejected if it is truncated', async ({ bytes, type }) => {
    const cuts = [1, 2, 12, 100, Math.floor(bytes.length / 2), bytes.length - 40];
    for (const cut of cuts.filter((cut) => cut > 0 && cut < bytes.length - 12))
      expect({ cut, ...(await verifyImage(bytes.subarray(0, -cut), type)) }).toEqual({
        cut,
        fault: expect.stringContaining('is a broken'),
      });
  });

  test.each(oneOfEach)('$type is rejected and deleted when its end is missing', ({ type, bytes }) =>
    expectDiscarded(bytes.subarray(0, -2), type, /broken/),
  );

  test.each([
    ['baseline JPEG', 0xff],
    ['progressive JPEG', 0xd8],
    ['8 bit PNG', 0x00],
    ['interlaced PNG', 0xff],
    ['GIF', 0xff],
    ['animated GIF', 0x00],
    ['lossless WebP', 0xff],
  ])('%s is rejected if it is corrupted in the middle', async (name, filling) => {
    const image = images.find((each) => each.name === name) as TestImage;
    const damaged = Buffer.from(image.bytes);
    const middle = Math.floor(damaged.length / 2);
    damaged.fill(filling, middle, middle + 300);
    await expectDiscarded(damaged, image.type, /broken/);
  });
});

test.each(oneOfEach)(
  '$type is rejected if any other type is declared, and the error names its real type',
  async ({ type, bytes }) => {
    for (const declared of TYPES.filter((each) => each !== type))
      await expectDiscarded(bytes, declared, new RegExp(`is ${type}, but ${declared} was declared`));
  },
);

test('verification does not modify the buffer that it is given', async () => {
  const bytes = of('JPEG rotated by EXIF');
  const before = Buffer.from(bytes);
  await verifyImage(bytes, 'image/jpeg');
  expect(bytes.equals(before)).toBe(true);
  expect((await sharp(bytes).metadata()).orientation).toBe(6);
});
