import { walkGif } from './formats/gif.js';
import { walkJpeg } from './formats/jpeg.js';
import { walkPng } from './formats/png.js';
import { Broken, TRUNCATED, type Walked } from './formats/walked.js';
import { walkWebp } from './formats/webp.js';
import type { ImageType } from './image-types.js';

/** The bytes to publish, or the reason why the file was rejected. */
export type Inspected = { bytes: Uint8Array } | { fault: string };

const WALKERS: Record<ImageType, (bytes: Buffer) => Walked> = {
  'image/jpeg': walkJpeg,
  'image/png': walkPng,
  'image/webp': walkWebp,
  'image/gif': walkGif,
};

/**
 * Checks that the file is complete from its first byte to its last, and removes metadata that does not affect how the
 * image looks. Decoders tolerate a missing end: libvips accepts a PNG without IEND, an interlaced PNG without its last
 * 200 bytes, a JPEG without EOI, and a GIF that ends between two frames or within one.
 */
export function inspect(bytes: Buffer, type: ImageType): Inspected {
  try {
    const { kept, end } = WALKERS[type](bytes);
    if (end > bytes.length) return { fault: TRUNCATED };
    const fault = end < bytes.length ? tailFault(bytes.subarray(end), type) : undefined;
    return fault === undefined ? { bytes: Buffer.concat(kept) } : { fault };
  } catch (error) {
    if (error instanceof Broken) return { fault: error.message };
    // The file ended where more bytes were expected.
    if (error instanceof RangeError) return { fault: TRUNCATED };
    throw error;
  }
}

/**
 * Cameras and phones append their own data to a JPEG, so a JPEG may have trailing data, which is not published. The
 * file is rejected if that data contains HTML, PHP, PDF or a ZIP archive. Other formats must not have trailing data.
 */
function tailFault(tail: Buffer, type: ImageType): string | undefined {
  if (type !== 'image/jpeg') return `${tail.length} bytes follow its end`;
  const text = tail.toString('latin1');
  const foreign = FOREIGN.find(([pattern]) => pattern.test(text))?.[1] ?? (isArchive(tail) && 'an archive');
  return foreign ? `${foreign} follows its end` : undefined;
}

const FOREIGN: [RegExp, string][] = [
  [/<(!doctype|html|head|body|script|svg|iframe|img|object|embed)\b/i, 'HTML'],
  [/<\?php/i, 'PHP'],
  [/%PDF-/, 'PDF'],
];

/**
 * A ZIP file ends with a record of 22 bytes and a comment of at most 65,535 bytes. If the signature of that record is
 * further from the end, it is a coincidence.
 */
function isArchive(tail: Buffer): boolean {
  const directory = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  return directory !== -1 && tail.length - directory <= 22 + 65_535;
}
