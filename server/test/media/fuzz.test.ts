import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IMAGE_TYPES, type ImageType } from '../../src/media/image-types.js';
import { verifyImage } from '../../src/media/verify.js';
import { type TestImage, validImages } from '../support/images.js';
import { mutate } from '../support/mutate.js';
import { Random } from '../support/random.js';
import { recordReferenceImages } from '../support/reference-images.js';
import { SecondDecoder } from '../support/second-decoder.js';

// `npm run test:media-fuzz` runs the long form of this test, with a new seed each time and with Pillow as the reference
// decoder. With FEIRA_FUZZ_RECORD=1 it also replaces the files that reference-images.test.ts uses.
const LONG = Number(process.env.FEIRA_FUZZ ?? 0);
const COUNT = LONG || 250;
const SEED = Number(process.env.FEIRA_FUZZ_SEED ?? (LONG ? Date.now() % 1_000_000_000 : 1));

let images: TestImage[];
let second: SecondDecoder | undefined;

beforeAll(async () => {
  images = await validImages();
  if (LONG) second = new SecondDecoder();
});
afterAll(() => second?.close());

test('no corrupted file that a decoder rejects is published, and none crashes the process', {
  timeout: 120_000 + COUNT * 100,
}, async () => {
  const random = new Random(SEED);
  const accepted: Record<string, number> = Object.fromEntries(IMAGE_TYPES.map((type) => [type, 0]));
  const disputed: { number: number; name: string; fault: string; bytes: string }[] = [];
  for (let number = 0; number < COUNT; number++) {
    const image = random.pick(images);
    const bytes = mutate(random, image, images);
    const verified = await verifyImage(bytes, image.type);
    if ('fault' in verified) continue;
    accepted[image.type]!++;
    const fault = await faultOf(verified.bytes, image.type);
    if (fault !== undefined)
      disputed.push({ number, name: image.name, fault, bytes: bytes.toString('base64') });
  }
  if (LONG) console.log({ seed: SEED, files: COUNT, accepted, disputed: disputed.length });
  if (second && process.env.FEIRA_FUZZ_RECORD) await recordReferenceImages(second, images, new Random(SEED));
  expect(disputed).toEqual([]);
  expect(Object.values(accepted).every((count) => count > 0)).toBe(true);
});

/**
 * Returns why a published file is faulty, or undefined if it is not. The short form must run without a second decoder,
 * so it only decodes the bytes with sharp, and throws if that fails.
 */
async function faultOf(bytes: Buffer, type: ImageType): Promise<string | undefined> {
  if (second) {
    const result = await second.decode(bytes, type);
    return 'fault' in result ? result.fault : undefined;
  }
  const { info } = await sharp(bytes, { animated: true, failOn: 'warning' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return info.width > 0 && info.height > 0 ? undefined : 'it is empty';
}
