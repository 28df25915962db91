import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { verifyImage } from '../../src/media/verify.js';
import { referenceImages } from '../support/reference-images.js';

// The results and pixels in reference-images.json come from Pillow, not from the library that verifyImage uses.
const files = referenceImages().map((file) => ({ ...file, bytes: Buffer.from(file.bytes, 'base64') }));
const valid = files.filter(({ pixels }) => pixels !== null);
const refused = files.filter(({ pixels }) => pixels === null);

test('there are valid and corrupted files of every format', () => {
  for (const some of [valid, refused]) expect(new Set(some.map(({ type }) => type)).size).toBe(4);
});

test.each(valid)('the $name that another decoder accepts is accepted', async ({ bytes, type }) => {
  expect(await verifyImage(bytes, type)).toMatchObject({ bytes: expect.any(Buffer) });
});

/**
 * Lossy formats are left out, because decoders may round differently. PNGs with 16 bits per sample are left out too,
 * because the comparison needs 8 bits. For all other files, correct decoders return exactly the same pixels.
 */
const exact = valid.filter(({ name }) => /PNG|GIF|lossless/.test(name) && !/16 bit/.test(name));

test.each(exact)('the published $name has the pixels that another decoder found', async (file) => {
  const verified = await verifyImage(file.bytes, file.type);
  if ('fault' in verified) throw new Error(verified.fault);
  const rgba = await sharp(verified.bytes).toColourspace('srgb').ensureAlpha().raw().toBuffer();
  expect(createHash('sha256').update(rgba).digest('hex')).toBe(file.pixels);
});

test.each(refused.map((file, number) => ({ ...file, number })))(
  'file $number, a $name that another decoder rejects, is rejected',
  async ({ bytes, type }) => {
    expect(await verifyImage(bytes, type)).toEqual({ fault: expect.any(String) });
  },
);
