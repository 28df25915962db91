import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { IMAGE_TYPES, type ImageType } from '../../src/media/image-types.js';
import type { TestImage } from './images.js';
import { mutate } from './mutate.js';
import type { Random } from './random.js';
import type { SecondDecoder } from './second-decoder.js';

/**
 * An image file, and how Pillow decoded it: `pixels` is the SHA-256 of the RGBA pixels, or null if Pillow rejected the
 * file.
 */
export interface ReferenceImage {
  name: string;
  type: ImageType;
  pixels: string | null;
  bytes: string;
}

const FILE = fileURLToPath(new URL('../media/reference-images.json', import.meta.url));
/** Larger files are not recorded, to keep the repository small. */
const MAX_BYTES = 4_000;
const REFUSED_PER_TYPE = 8;

export function referenceImages(): ReferenceImage[] {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** Records every small valid image and, for each type, corrupted files that Pillow rejects. */
export async function recordReferenceImages(
  second: SecondDecoder,
  images: TestImage[],
  random: Random,
): Promise<void> {
  const files: ReferenceImage[] = [];
  const decode = async ({ name, type }: TestImage, bytes: Buffer): Promise<ReferenceImage> => {
    const result = await second.decode(bytes, type);
    const pixels = 'fault' in result ? null : result.pixels;
    return { name, type, pixels, bytes: bytes.toString('base64') };
  };
  const small = images.filter(({ bytes }) => bytes.length < MAX_BYTES);
  for (const image of small) files.push(await decode(image, image.bytes));
  for (const type of IMAGE_TYPES) {
    const ofType = small.filter((image) => image.type === type);
    for (let refused = 0; refused < REFUSED_PER_TYPE; ) {
      const image = random.pick(ofType);
      const file = await decode(image, mutate(random, image, images));
      if (file.pixels !== null || file.bytes.length > MAX_BYTES) continue;
      files.push({ ...file, name: `corrupted ${image.name}` });
      refused++;
    }
  }
  writeFileSync(FILE, `${JSON.stringify(files, null, 1)}\n`);
}
