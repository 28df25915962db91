import sharp, { type Sharp } from 'sharp';
import type { ImageType } from '../../src/media/image-types.js';
import { Random } from './random.js';

export interface TestImage {
  name: string;
  type: ImageType;
  bytes: Buffer;
  width: number;
  height: number;
}

const WIDTH = 61;
const HEIGHT = 43;

/**
 * Returns a smooth image with some noise, so that every part of an encoder is used. Different seeds create different
 * images.
 */
export function picture(seed = 1, { width = WIDTH, height = HEIGHT, channels = 3 as 3 | 4 } = {}): Sharp {
  const random = new Random(seed);
  const pixels = Buffer.alloc(width * height * channels);
  for (let i = 0; i < pixels.length; i++) {
    const [x, y] = [Math.floor(i / channels) % width, Math.floor(i / channels / width)];
    pixels[i] = (x * 3 + y * 2 * ((i % channels) + 1) + random.below(24) + seed * 40) & 255;
  }
  return sharp(pixels, { raw: { width, height, channels } });
}

export function pngOf(seed: number, size: { width?: number; height?: number } = {}): Promise<Buffer> {
  return picture(seed, size).png().toBuffer();
}

/** Returns valid images of many kinds that cameras, phones, editors and shops produce. */
export async function validImages(): Promise<TestImage[]> {
  const frames = await Promise.all([1, 2, 3].map((seed) => pngOf(seed)));
  const animation = () => sharp(frames, { join: { animated: true } });
  const jpeg = await picture().jpeg({ quality: 90 }).toBuffer();
  const made: [string, ImageType, Buffer | Promise<Buffer>][] = [
    ['baseline JPEG', 'image/jpeg', jpeg],
    ['progressive JPEG', 'image/jpeg', picture().jpeg({ progressive: true }).toBuffer()],
    ['JPEG without subsampling', 'image/jpeg', picture().jpeg({ chromaSubsampling: '4:4:4' }).toBuffer()],
    ['grayscale JPEG', 'image/jpeg', picture().grayscale().jpeg().toBuffer()],
    ['CMYK JPEG', 'image/jpeg', picture().toColourspace('cmyk').jpeg().toBuffer()],
    ['JPEG rotated by EXIF', 'image/jpeg', picture().withMetadata({ orientation: 6 }).jpeg().toBuffer()],
    ['JPEG with a color profile', 'image/jpeg', picture().withIccProfile('p3').jpeg().toBuffer()],
    ["JPEG with a camera's data after its end", 'image/jpeg', Buffer.concat([jpeg, cameraTrailer()])],
    ['8 bit PNG', 'image/png', frames[0]!],
    ['1 bit PNG', 'image/png', picture().threshold().png({ palette: true, colours: 2 }).toBuffer()],
    ['16 bit PNG', 'image/png', picture().toColourspace('rgb16').png().toBuffer()],
    ['PNG with a palette', 'image/png', picture().png({ palette: true, colours: 32 }).toBuffer()],
    ['interlaced PNG', 'image/png', picture().png({ progressive: true }).toBuffer()],
    ['PNG with alpha', 'image/png', picture(1, { channels: 4 }).png().toBuffer()],
    ['gray PNG', 'image/png', picture().grayscale().toColourspace('b-w').png().toBuffer()],
    ['lossy WebP', 'image/webp', picture().webp().toBuffer()],
    ['lossless WebP', 'image/webp', picture().webp({ lossless: true }).toBuffer()],
    ['WebP with alpha', 'image/webp', picture(1, { channels: 4 }).webp().toBuffer()],
    ['WebP with EXIF', 'image/webp', picture().withMetadata({ orientation: 3 }).webp().toBuffer()],
    ['animated WebP', 'image/webp', animation().webp().toBuffer()],
    ['GIF', 'image/gif', picture().gif().toBuffer()],
    ['GIF of 1987', 'image/gif', GIF87A],
    [
      'animated GIF',
      'image/gif',
      animation()
        .gif({ delay: [100, 100, 100] })
        .toBuffer(),
    ],
  ];
  return Promise.all(
    made.map(async ([name, type, bytes]) => {
      const { width, height } =
        name === 'GIF of 1987' ? { width: 1, height: 1 } : { width: WIDTH, height: HEIGHT };
      return { name, type, bytes: await bytes, width, height };
    }),
  );
}

const GIF87A = Buffer.from('47494638376101000100800000000000ffffff2c00000000010001000002024401003b', 'hex');

/** Returns what Samsung phones append to a JPEG: binary blocks, followed by a directory that ends with SEFT. */
function cameraTrailer(): Buffer {
  const random = new Random(9);
  const blocks = Buffer.from(Array.from({ length: 500 }, () => random.below(256)));
  const directory = Buffer.from(
    'SEFH\x6b\0\0\0\x01\0\0\0\0\0\x01\x0a\xf4\x01\0\0\xf4\x01\0\0\x18\0\0\0SEFT',
    'latin1',
  );
  return Buffer.concat([blocks, directory]);
}
