import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import type { ImageType } from '../../src/media/image-types.js';
import { pngChunk } from './bombs.js';
import { picture } from './images.js';

/** A text in the metadata that `privateImages` adds. No published file may contain it. */
export const SECRET = 'PRIVATE-POSITION';

export interface PrivateImage {
  name: string;
  type: ImageType;
  bytes: Buffer;
  orientation?: number;
  icc?: boolean;
}

/** Returns files of each format with private metadata, such as a GPS position, texts and comments. */
export async function privateImages(): Promise<PrivateImage[]> {
  const jpeg = (options = {}) => picture().withIccProfile('p3').jpeg(options).toBuffer();
  const png = await picture().withIccProfile('p3').png().toBuffer();
  const webp = await picture().withIccProfile('p3').webp().toBuffer();
  const frames = await Promise.all([1, 2, 3].map((seed) => picture(seed).png().toBuffer()));
  const animation = () => sharp(frames, { join: { animated: true } });
  return [
    { name: 'JPEG', type: 'image/jpeg', bytes: privateJpeg(await jpeg()), orientation: 6, icc: true },
    {
      name: 'progressive JPEG',
      type: 'image/jpeg',
      bytes: privateJpeg(await jpeg({ progressive: true })),
      orientation: 6,
      icc: true,
    },
    { name: 'PNG', type: 'image/png', bytes: privatePng(png), orientation: 6, icc: true },
    { name: 'WebP', type: 'image/webp', bytes: privateWebp(webp), orientation: 6, icc: true },
    { name: 'animated WebP', type: 'image/webp', bytes: await privateAnimatedWebp(animation()) },
    { name: 'animated GIF', type: 'image/gif', bytes: privateGif(await animation().gif().toBuffer()) },
  ];
}

/** Returns a TIFF structure as cameras write it: the orientation, the author and a GPS directory. */
function exifWithPosition(orientation: number): Buffer {
  const text = Buffer.from(`${SECRET}\0`, 'latin1');
  const [ifd, gps] = [8, 8 + 2 + 3 * 12 + 4];
  const textAt = gps + 2 + 2 * 12 + 4;
  const tiff = Buffer.alloc(textAt + text.length);
  tiff.write('MM\0*', 'latin1');
  tiff.writeUInt32BE(ifd, 4);
  const entry = (at: number, tag: number, type: number, count: number, value: number) => {
    tiff.writeUInt16BE(tag, at);
    tiff.writeUInt16BE(type, at + 2);
    tiff.writeUInt32BE(count, at + 4);
    if (type === 3) tiff.writeUInt16BE(value, at + 8);
    else tiff.writeUInt32BE(value, at + 8);
  };
  tiff.writeUInt16BE(3, ifd);
  entry(ifd + 2, 0x0112, 3, 1, orientation);
  entry(ifd + 14, 0x013b, 2, text.length, textAt);
  entry(ifd + 26, 0x8825, 4, 1, gps);
  tiff.writeUInt16BE(2, gps);
  entry(gps + 2, 0x0001, 2, 2, 0x53000000);
  entry(gps + 14, 0x001b, 2, text.length, textAt);
  text.copy(tiff, textAt);
  return tiff;
}

function privateJpeg(bytes: Buffer): Buffer {
  const segment = (marker: number, ...data: (string | Buffer)[]) => {
    const body = Buffer.concat(
      data.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
    );
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(body.length + 2, 2);
    return Buffer.concat([head, body]);
  };
  const comment = segment(0xfe, SECRET);
  const scan = bytes.lastIndexOf(Buffer.from([0xff, 0xda]));
  return Buffer.concat([
    bytes.subarray(0, 2),
    segment(0xe1, 'Exif\0\0', exifWithPosition(6)),
    segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', `<x:xmpmeta>${SECRET}</x:xmpmeta>`),
    segment(0xe2, 'MPF\0', SECRET),
    segment(0xed, 'Photoshop 3.0\0', SECRET),
    comment,
    bytes.subarray(2, scan),
    // The comment is repeated before the last scan: comments may precede any marker, and all must be removed.
    comment,
    bytes.subarray(scan),
    Buffer.from(`${SECRET} behind the end`),
  ]);
}

function privatePng(bytes: Buffer): Buffer {
  const text = (name: string, data: string) => pngChunk(name, Buffer.from(data, 'latin1'));
  return Buffer.concat([
    bytes.subarray(0, 33),
    pngChunk('eXIf', exifWithPosition(6)),
    text('tEXt', `Comment\0${SECRET}`),
    text('iTXt', `XML:com.adobe.xmp\0\0\0\0\0${SECRET}`),
    text('caBX', SECRET),
    bytes.subarray(33, -12),
    pngChunk('tIME', Buffer.from([7, 234, 11, 16, 1, 2, 3])),
    text('tEXt', `Location\0${SECRET}`),
    bytes.subarray(-12),
  ]);
}

const EXIF_AND_XMP = 0x0c;

function webpChunk(name: string, data: Buffer): Buffer {
  const head = Buffer.from(`${name}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length & 1)]);
}

/** Adds metadata to an image in the extended WebP format, which images with a color profile use. */
function privateWebp(bytes: Buffer): Buffer {
  const made = Buffer.concat([
    bytes,
    webpChunk('EXIF', exifWithPosition(6)),
    webpChunk('XMP ', Buffer.from(`<x:xmpmeta>${SECRET}</x:xmpmeta>`)),
    webpChunk('junk', Buffer.from(SECRET)),
  ]);
  made[20]! |= EXIF_AND_XMP;
  made.writeUInt32LE(made.length - 8, 4);
  return made;
}

async function privateAnimatedWebp(animation: Sharp): Promise<Buffer> {
  const bytes = await animation.webp().toBuffer();
  const made = Buffer.concat([bytes, webpChunk('XMP ', Buffer.from(SECRET))]);
  made[20]! |= 0x04;
  // Adds a chunk inside the first frame and increases the length of the frame accordingly.
  const frame = made.indexOf('ANMF', 12, 'latin1');
  const length = made.readUInt32LE(frame + 4);
  const junk = webpChunk('junk', Buffer.from(SECRET));
  made.writeUInt32LE(length + (length & 1) + junk.length, frame + 4);
  const frameEnd = frame + 8 + length + (length & 1);
  const grown = Buffer.concat([made.subarray(0, frameEnd), junk, made.subarray(frameEnd)]);
  grown.writeUInt32LE(grown.length - 8, 4);
  return grown;
}

function privateGif(bytes: Buffer): Buffer {
  const extension = (label: number, ...blocks: string[]) =>
    Buffer.from(
      `\x21${String.fromCharCode(label)}${blocks.map((block) => String.fromCharCode(block.length) + block).join('')}\0`,
      'latin1',
    );
  const tables = 13 + (bytes[10]! & 0x80 ? 3 * 2 ** ((bytes[10]! & 7) + 1) : 0);
  return Buffer.concat([
    bytes.subarray(0, tables),
    extension(0xfe, SECRET),
    extension(0xff, 'XMP DataXMP', SECRET),
    extension(0x01, '\0'.repeat(12), SECRET),
    bytes.subarray(tables, -1),
    extension(0xfe, SECRET),
    bytes.subarray(-1),
  ]);
}

/** Returns whether the checksums of all PNG chunks are correct. */
export function hasValidChecksums(png: Buffer): boolean {
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.readUInt32BE(at + 8 + length) !== crc32(png.subarray(at + 4, at + 8 + length))) return false;
    at += 12 + length;
  }
  return true;
}
