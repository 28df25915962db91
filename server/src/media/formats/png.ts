import { crc32 } from 'node:zlib';
import { orientationOnly } from './exif.js';
import { Broken, MAX_PARTS, type Walked } from './walked.js';

/**
 * The optional chunks that affect the appearance of the image: transparency, colors, size, background and animation.
 * Other optional chunks, such as texts, times and data of specific programs, are removed. Of an eXIf chunk, only the
 * orientation is kept.
 */
const OPTIONAL = new Set(
  'tRNS gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD hIST pHYs acTL fcTL fdAT'.split(' '),
);

export function walkPng(bytes: Buffer): Walked {
  const kept = [bytes.subarray(0, 8)];
  const seen = new Set<string>();
  for (let [at, parts] = [8, 0]; parts < MAX_PARTS; parts++) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.toString('latin1', at + 4, at + 8);
    if (!/^[A-Za-z]{4}$/.test(name)) throw new Broken('a chunk has an invalid name');
    if (bytes.readUInt32BE(at + 8 + length) !== crc32(bytes.subarray(at + 4, at + 8 + length)))
      throw new Broken(`the checksum of its ${name} chunk is wrong`);
    if (seen.size === 0 && name !== 'IHDR') throw new Broken('its first chunk is not IHDR');
    const chunk = publishedChunk(name, bytes.subarray(at, at + length + 12), seen);
    if (chunk) kept.push(chunk);
    seen.add(name);
    at += length + 12;
    if (name !== 'IEND') continue;
    if (length > 0) throw new Broken('its IEND chunk is not empty');
    if (!seen.has('IDAT')) throw new Broken('it contains no image');
    return { kept, end: at };
  }
  throw new Broken(`it has more than ${MAX_PARTS} chunks`);
}

function publishedChunk(name: string, chunk: Buffer, seen: Set<string>): Buffer | undefined {
  const isCritical = name[0]! < 'a';
  if (isCritical || OPTIONAL.has(name)) return chunk;
  if (name !== 'eXIf' || seen.has(name)) return undefined;
  const orientation = orientationOnly(chunk.subarray(8, -4));
  return orientation && makeChunk(name, orientation);
}

function makeChunk(name: string, data: Buffer): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(name, 'latin1'), data, Buffer.alloc(4)]);
  chunk.writeUInt32BE(data.length, 0);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}
