import { Readable } from 'node:stream';
import { crc32, createDeflate, deflateSync } from 'node:zlib';
import { picture } from './images.js';

// Small files that make a careless decoder use a lot of memory or time.

/** A PNG with one bit per pixel, all black. */
export function pngBomb(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = Buffer.alloc(height * (1 + Math.ceil(width / 8)));
  return png([
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * A PNG with four 16-bit samples per pixel. It is interlaced, so that a decoder holds the whole image in memory. Its
 * data is incomplete.
 */
export function deepPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([16, 6, 0, 0, 1], 8);
  return png([
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.alloc(1_000))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A small image with four comments that inflate to 256 MB each. */
export async function pngTextBomb(): Promise<Buffer> {
  const small = await picture().png().toBuffer();
  // The zeros are compressed in pieces, so that creating the file does not use more memory than inspecting it.
  const million = Buffer.alloc(1_000_000);
  const zeros = Readable.from(Array(256).fill(million)).pipe(createDeflate({ level: 9 }));
  const text = Buffer.concat(await zeros.toArray());
  const comment = pngChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), text]));
  return Buffer.concat([small.subarray(0, 33), comment, comment, comment, comment, small.subarray(33)]);
}

/** Returns empty PNG chunks, each with a valid checksum. */
export function emptyParts(count: number): Buffer {
  const empty = pngChunk('teXt', Buffer.alloc(0));
  return Buffer.alloc(count * empty.length, empty);
}

/** A small JPEG whose header declares a large image. */
export async function jpegBomb(width: number, height: number): Promise<Buffer> {
  const bytes = await picture().jpeg().toBuffer();
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  bytes.writeUInt16BE(height, frame + 5);
  bytes.writeUInt16BE(width, frame + 7);
  return bytes;
}

export async function webpBomb(width: number, height: number): Promise<Buffer> {
  const bytes = await picture().webp().toBuffer();
  const frame = bytes.indexOf(Buffer.from([0x9d, 0x01, 0x2a]));
  bytes.writeUInt16LE(width, frame + 3);
  bytes.writeUInt16LE(height, frame + 5);
  return bytes;
}

export function gifBomb(width: number, height: number, frames = 1): Buffer {
  const screen = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  const descriptor = Buffer.alloc(10);
  descriptor[0] = 0x2c;
  descriptor.writeUInt16LE(width, 5);
  descriptor.writeUInt16LE(height, 7);
  const frame = Buffer.concat([
    descriptor,
    Buffer.from([2]),
    ...subBlocks(onePixelOverAndOver(width * height)),
  ]);
  return Buffer.concat([screen, ...Array(frames).fill(frame), Buffer.from(';')]);
}

/**
 * Returns LZW data in which each code represents one pixel more than the previous one until the table is full. Then the
 * longest code is repeated.
 */
function onePixelOverAndOver(pixels: number): Buffer {
  const bytes: number[] = [];
  let [held, bits] = [0, 0];
  const emit = (code: number, size: number) => {
    held |= code << bits;
    for (bits += size; bits >= 8; bits -= 8, held >>>= 8) bytes.push(held & 255);
  };
  emit(4, 3);
  emit(0, 3);
  let [next, size, length] = [6, 3, 1];
  for (let left = pixels - 1; left > 0; left -= length) {
    if (next < 4096) length++;
    emit(Math.min(next, 4095), size);
    if (next < 4096) next++;
    if (next === 1 << size && size < 12) size++;
  }
  emit(5, size);
  bytes.push(held & 255);
  return Buffer.from(bytes);
}

function* subBlocks(data: Buffer): Generator<Buffer> {
  for (let at = 0; at < data.length; at += 255) {
    const block = data.subarray(at, at + 255);
    yield Buffer.from([block.length]);
    yield block;
  }
  yield Buffer.from([0]);
}

function png(chunks: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

export function pngChunk(name: string, data: Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(name), data, Buffer.alloc(4)]);
  bytes.writeUInt32BE(data.length, 0);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}

/** A JPEG that consists only of frame headers, each declaring this many components. */
export function jpegOfFrames(count: number, components: number): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, components, 1, 0x11, 0]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    Buffer.alloc(count * frame.length, frame),
    Buffer.from([0xff, 0xd9]),
  ]);
}
