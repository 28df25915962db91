import type { Metadata } from 'sharp';
import { EXTENSIONS, type ImageType, MAX_FRAMES } from './image-types.js';
import { InspectionThreads } from './inspection-threads.js';

const MAX_PIXELS = 50_000_000;
/**
 * The maximum decoded size in bytes: width × height × channels × bytes per sample. The limit for one frame bounds the
 * memory, because interlaced PNG, progressive JPEG and WebP are decoded as a whole (50 megapixels of 8-bit RGBA take
 * 200 MB). Animations are decoded frame by frame, so the limit for all frames together bounds the time.
 */
const MAX_DECODED_FRAME = 256 * 1024 * 1024;
const MAX_DECODED_FRAMES = 512 * 1024 * 1024;
/** A generous limit: 50 megapixels took 8 s on a machine with five times its normal load. */
const DECODING_SECONDS = 30;

/** The bytes to publish with their dimensions, or the reason why the file was rejected. */
export type Verified = { bytes: Buffer; width: number; height: number } | { fault: string };

const threads = new InspectionThreads();
/** A file that takes too long is rejected, although it may be a valid image. */
const LATE = { fault: 'could not be verified in time' };

/**
 * Checks that the file is an image of the declared type, and returns its bytes without the metadata that is not needed
 * to display it. The checks run in this order: the magic number, so that only four decoders ever see the bytes; the
 * structure; the dimensions, before decoding; and every pixel of every frame, decoded from exactly the bytes that will
 * be published. The slow checks do not block the event loop: the structure is checked in a worker thread, and sharp
 * decodes in its own threads.
 */
export async function verifyImage(bytes: Buffer, declared: ImageType): Promise<Verified> {
  const found = typeOf(bytes);
  if (!found) return { fault: `is not an image of an accepted type: it looks like ${describe(bytes)}` };
  if (found !== declared) return { fault: `is ${found}, but ${declared} was declared` };
  const inspected = await threads.inspect(bytes, declared);
  if (inspected === 'late') return LATE;
  if ('fault' in inspected) return { fault: `is a broken ${declared}: ${inspected.fault}` };
  try {
    return await decode(asBuffer(inspected.bytes), declared);
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    // This is how sharp reports that DECODING_SECONDS have passed, for example as "timeout: 42% complete".
    if (reason.startsWith('timeout: ')) return LATE;
    return { fault: `is a broken ${declared}: ${reason.slice(0, 120)}` };
  }
}

async function decode(bytes: Buffer, declared: ImageType): Promise<Verified> {
  // Imported on first use, so that commands that use no images do not load a native library.
  const { default: sharp } = await import('sharp');
  const options = {
    failOn: 'warning',
    animated: true,
    sequentialRead: true,
    limitInputPixels: false,
  } as const;
  const metadata = await sharp(bytes, options).metadata();
  const { width, height, frames } = dimensionsOf(metadata);
  if (`image/${metadata.format}` !== declared)
    return { fault: `is ${metadata.format}, but ${declared} was declared` };
  if (width * height > MAX_PIXELS)
    return { fault: `has ${width} × ${height} pixels; the maximum is 50 megapixels` };
  if (frames > MAX_FRAMES) return { fault: `has ${frames} frames; the maximum is ${MAX_FRAMES}` };
  const frameBytes = width * height * bytesPerPixel(metadata);
  if (frameBytes > MAX_DECODED_FRAME || frameBytes * frames > MAX_DECODED_FRAMES)
    return { fault: tooLarge(width, height, frames, frameBytes * frames) };
  // The image is decoded by scaling it to one pixel. stats() would decode it too, but ignores decoder warnings, and
  // took 4.2 s and 155 MB for 49 megapixels instead of 0.4 s and 17 MB.
  const image = sharp(bytes, options).timeout({ seconds: DECODING_SECONDS });
  // A JPEG or WebP that is only scaled down is not decoded completely. Extracting the whole area first forces complete
  // decoding.
  if (frames === 1) image.extract({ left: 0, top: 0, width, height });
  await image.resize({ width: 1, height: 1, fit: 'fill' }).raw().toBuffer();
  return { bytes, width, height };
}

/** A Buffer from another thread arrives as a plain Uint8Array. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

function dimensionsOf({ width, height, pageHeight, pages }: Metadata): {
  width: number;
  height: number;
  frames: number;
} {
  return { width, height: pageHeight ?? height, frames: pages ?? 1 };
}

function bytesPerPixel({ channels, depth }: Metadata): number {
  return channels * (depth === 'ushort' ? 2 : 1);
}

function tooLarge(width: number, height: number, frames: number, decoded: number): string {
  const what =
    frames === 1 ? `${width} × ${height} pixels` : `${frames} frames of ${width} × ${height} pixels`;
  const max = (frames === 1 ? MAX_DECODED_FRAME : MAX_DECODED_FRAMES) / 1024 / 1024;
  return `has ${what}, which is ${Math.round(decoded / 1024 / 1024)} MB decoded; the maximum is ${max} MB`;
}

function typeOf(bytes: Buffer): ImageType | undefined {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (/^RIFF.{4}WEBP$/s.test(head)) return 'image/webp';
  if (/^GIF8[79]a/.test(head)) return 'image/gif';
  return undefined;
}

function describe(bytes: Buffer): string {
  if (bytes.length === 0) return 'an empty file';
  const start = bytes.toString('utf8', 0, 512).trimStart().toLowerCase();
  if (start.includes('<svg')) return 'SVG';
  if (start.startsWith('<!doctype') || start.startsWith('<html') || start.includes('<script')) return 'HTML';
  if (start.startsWith('%pdf')) return 'PDF';
  return `something other than ${Object.values(EXTENSIONS).join(', ')}`;
}
