import { crc32, deflateSync, inflateSync } from 'node:zlib';
import type { ImageType } from '../../src/media/image-types.js';
import type { TestImage } from './images.js';
import type { Random } from './random.js';

/** Applies one to three random mutations to a valid file. Some mutations keep the outer structure intact. */
export function mutate(random: Random, image: TestImage, others: TestImage[]): Buffer {
  let bytes: Buffer = Buffer.from(image.bytes);
  for (let times = 1 + random.below(3); times > 0; times--) {
    if (bytes.length < 16) break;
    bytes = random.pick(MUTATIONS)(random, bytes, image.type, others);
  }
  return bytes;
}

type Mutation = (random: Random, bytes: Buffer, type: ImageType, others: TestImage[]) => Buffer;

const MUTATIONS: Mutation[] = [
  flipBits,
  flipBits,
  setBytes,
  cut,
  remove,
  repeat,
  splice,
  editParts,
  editParts,
  shorten,
];

function flipBits(random: Random, bytes: Buffer): Buffer {
  for (let times = 1 + random.below(8); times > 0; times--)
    bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
  return bytes;
}

function setBytes(random: Random, bytes: Buffer): Buffer {
  const from = random.below(bytes.length);
  bytes.subarray(from, from + 1 + random.below(16)).fill(random.pick([0x00, 0x01, 0x7f, 0x80, 0xff]));
  return bytes;
}

function cut(random: Random, bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length - random.below(random.pick([4, 16, bytes.length])));
}

function remove(random: Random, bytes: Buffer): Buffer {
  const from = random.below(bytes.length);
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + 1 + random.below(64))]);
}

function repeat(random: Random, bytes: Buffer): Buffer {
  const from = random.below(bytes.length);
  const to = Math.min(from + 1 + random.below(64), bytes.length);
  return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
}

function splice(random: Random, bytes: Buffer, type: ImageType, others: TestImage[]): Buffer {
  const other = random.pick(others.filter((each) => each.type === type)).bytes;
  return Buffer.concat([
    bytes.subarray(0, random.below(bytes.length)),
    other.subarray(random.below(other.length)),
  ]);
}

/** Removes the end of a PNG's pixel data, but keeps the compressed stream valid. Cuts off the end of other files. */
function shorten(random: Random, bytes: Buffer, type: ImageType): Buffer {
  if (type !== 'image/png') return cut(random, bytes);
  const parts = partsOf(bytes, type);
  const data = parts.filter((part) => nameOf(part) === 'IDAT');
  try {
    const rows = inflateSync(Buffer.concat(data.map((part) => part.subarray(8, -4))));
    const left = deflateSync(rows.subarray(0, rows.length - 1 - random.below(rows.length)));
    const idat = Buffer.concat([Buffer.alloc(4), Buffer.from('IDAT'), left, Buffer.alloc(4)]);
    return join(
      parts.flatMap((part) => (part === data[0] ? [idat] : nameOf(part) === 'IDAT' ? [] : [part])),
      type,
    );
  } catch {
    return bytes;
  }
}

/**
 * Drops, repeats, swaps or corrupts parts. Then corrects the lengths and checksums of PNG chunks, and the length of a
 * WebP file, so that often only a decoder can detect the change.
 */
function editParts(random: Random, bytes: Buffer, type: ImageType): Buffer {
  const parts = partsOf(bytes, type);
  const [at, other] = [random.below(parts.length), random.below(parts.length)];
  switch (random.below(4)) {
    case 0:
      parts.splice(at, 1);
      break;
    case 1:
      parts.splice(at, 0, parts[other]!);
      break;
    case 2:
      [parts[at], parts[other]] = [parts[other]!, parts[at]!];
      break;
    default:
      if (parts[at]!.length > 0) parts[at] = flipBits(random, Buffer.from(parts[at]!));
  }
  return join(parts, type);
}

/**
 * Splits a file into its parts. The first part is the header of the file. A part with too large a length extends to the
 * end of the file.
 */
function partsOf(bytes: Buffer, type: ImageType): Buffer[] {
  let at = { 'image/png': 8, 'image/webp': 12, 'image/jpeg': 2, 'image/gif': 13 }[type];
  const parts = [bytes.subarray(0, at)];
  while (at + 8 < bytes.length) {
    const length = partLength(bytes, at, type);
    parts.push(bytes.subarray(at, at + length));
    at += length;
  }
  if (at < bytes.length) parts.push(bytes.subarray(at));
  return parts;
}

function partLength(bytes: Buffer, at: number, type: ImageType): number {
  if (type === 'image/png') return 12 + bytes.readUInt32BE(at);
  if (type === 'image/webp') return 8 + bytes.readUInt32LE(at + 4) + (bytes.readUInt32LE(at + 4) & 1);
  if (type === 'image/jpeg') return 2 + bytes.readUInt16BE(at + 2);
  // GIF blocks have no total length, so search for the next possible start of a block.
  const next = [0x21, 0x2c].map((start) => bytes.indexOf(start, at + 8)).filter((each) => each !== -1);
  return Math.min(...next, bytes.length) - at;
}

function join(parts: Buffer[], type: ImageType): Buffer {
  if (type === 'image/png')
    return Buffer.concat(
      parts.map((part, index) => (index === 0 || part.length < 12 ? part : mendChunk(part))),
    );
  const bytes = Buffer.concat(parts);
  if (type === 'image/webp' && bytes.length >= 8) bytes.writeUInt32LE(bytes.length - 8, 4);
  return bytes;
}

function mendChunk(part: Buffer): Buffer {
  const chunk = Buffer.from(part);
  chunk.writeUInt32BE(chunk.length - 12, 0);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}

function nameOf(part: Buffer): string {
  return part.toString('latin1', 4, 8);
}
