import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { IMAGE_TYPES, type ImageType } from '../../src/media/image-types.js';
import type { TestImage } from './images.js';
import { mutate } from './mutate.js';
import type { Random } from './random.js';
import type { SecondDecoder } from './second-decoder.js';

/** A file with Pillow's result: the SHA-256 of its RGBA pixels, or null if Pillow rejects it. */
export interface JudgedFile {
  name: string;
  type: ImageType;
  pixels: string | null;
  bytes: string;
}

const FILE = fileURLToPath(new URL('../media/judged-files.json', import.meta.url));
/** The limit keeps the repository small. */
const MAX_BYTES = 4_000;
const REFUSED_PER_TYPE = 8;

export function judgedFiles(): JudgedFile[] {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** Records every small valid image, and corrupted files of each type that Pillow rejects. */
export async function recordJudged(
  second: SecondDecoder,
  images: TestImage[],
  random: Random,
): Promise<void> {
  const files: JudgedFile[] = [];
  const judge = async ({ name, type }: TestImage, bytes: Buffer): Promise<JudgedFile> => {
    const judgement = await second.judge(bytes, type);
    const pixels = 'fault' in judgement ? null : judgement.pixels;
    return { name, type, pixels, bytes: bytes.toString('base64') };
  };
  const small = images.filter(({ bytes }) => bytes.length < MAX_BYTES);
  for (const image of small) files.push(await judge(image, image.bytes));
  for (const type of IMAGE_TYPES) {
    const ofType = small.filter((image) => image.type === type);
    for (let refused = 0; refused < REFUSED_PER_TYPE; ) {
      const image = random.pick(ofType);
      const file = await judge(image, mutate(random, image, images));
      if (file.pixels !== null || file.bytes.length > MAX_BYTES) continue;
      files.push({ ...file, name: `corrupted ${image.name}` });
      refused++;
    }
  }
  writeFileSync(FILE, `${JSON.stringify(files, null, 1)}\n`);
}
