import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IMAGE_TYPES, type ImageType } from '../../src/media/image-types.js';
import { verifyImage } from '../../src/media/verify.js';
import { type TestImage, validImages } from '../support/images.js';
import { mutate } from '../support/mutate.js';
import { Random } from '../support/random.js';
import { SecondDecoder } from '../support/second-decoder.js';

// npm run test:media-fuzz is the long form: another seed each time unless told, and a second decoder as the judge.
const LONG = Number(process.env.FEIRA_FUZZ ?? 0);
const COUNT = LONG || 1_500;
const SEED = Number(process.env.FEIRA_FUZZ_SEED ?? (LONG ? Date.now() % 1_000_000_000 : 1));

let images: TestImage[];
let second: SecondDecoder | undefined;

beforeAll(async () => {
  images = await validImages();
  if (LONG) second = new SecondDecoder();
});
afterAll(() => second?.close());

test('of spoiled files none is accepted that another decoder refuses, and none ends the process', {
  timeout: 30_000 + COUNT * 100,
}, async () => {
  const random = new Random(SEED);
  const accepted: Record<string, number> = Object.fromEntries(IMAGE_TYPES.map((type) => [type, 0]));
  const disputed: { number: number; name: string; verdict: string; bytes: string }[] = [];
  for (let number = 0; number < COUNT; number++) {
    const image = random.pick(images);
    const bytes = mutate(random, image, images);
    if ('fault' in (await verifyImage(bytes, image.type))) continue;
    accepted[image.type]!++;
    const verdict = await judge(bytes, image.type);
    if (verdict !== 'ok')
      disputed.push({ number, name: image.name, verdict, bytes: bytes.toString('base64') });
  }
  if (LONG) console.log({ seed: SEED, files: COUNT, accepted, disputed: disputed.length });
  expect(disputed).toEqual([]);
  expect(Object.values(accepted).every((count) => count > 0)).toBe(true);
});

/** Without a second decoder at hand (the short form must run anywhere): it must decode again, to all of its pixels. */
async function judge(bytes: Buffer, type: ImageType): Promise<string> {
  if (second) {
    const verdict = await second.judge(bytes);
    return verdict === `ok ${type.slice(6).toUpperCase()}` ? 'ok' : verdict;
  }
  const { info } = await sharp(bytes, { animated: true, failOn: 'warning' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return info.width > 0 && info.height > 0 ? 'ok' : 'empty';
}
