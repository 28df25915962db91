import { crc32 } from 'node:zlib';
import { type ImageType, MAX_FRAMES } from './image-types.js';
import { givesPixels } from './lzw.js';

/**
 * Is the file whole, from its first byte to its last? Decoders forgive what is missing at the end: libvips alone takes
 * a PNG without IEND, an interlaced one that lacks its last 200 bytes, a JPEG without EOI, a GIF that breaks off between
 * two frames or within one. Answers what is wrong.
 */
export function structureFault(bytes: Buffer, type: ImageType): string | undefined {
  try {
    const end = WALKERS[type](bytes);
    if (end > bytes.length) return BREAKS_OFF;
    return end < bytes.length ? tailFault(bytes.subarray(end), type) : undefined;
  } catch (error) {
    if (error instanceof Broken) return error.message;
    // Read beyond the last byte.
    if (error instanceof RangeError) return BREAKS_OFF;
    throw error;
  }
}

/** Far more than any honest file has. Ten megabytes of empty parts would hold the process for seconds. */
const MAX_PARTS = 50_000;
const MAX_SCANS = 100;

const BREAKS_OFF = 'it breaks off before its end';

class Broken extends Error {}

/** Each walks through its format's own blocks and answers where the image ends. */
const WALKERS: Record<ImageType, (bytes: Buffer) => number> = {
  'image/jpeg': walkJpeg,
  'image/png': walkPng,
  'image/webp': walkWebp,
  'image/gif': walkGif,
};

function walkJpeg(bytes: Buffer): number {
  let at = 2;
  let [frames, scans] = [0, 0];
  // What a scan may code; in a sequential JPEG, each component once in all.
  let uncoded: Set<number> | undefined;
  for (;;) {
    if (bytes.readUInt8(at) !== 0xff) throw new Broken('there is no marker where one must be');
    while (bytes.readUInt8(at) === 0xff) at++;
    const marker = bytes.readUInt8(at++);
    if (marker === EOI) break;
    if (isStandalone(marker)) throw new Broken('a marker stands where none may be');
    if (isFrame(marker)) {
      frames++;
      if (isSequential(marker)) uncoded = new Set(componentIds(bytes, at + 7, 3));
    }
    if (marker === SOS) {
      if (++scans > MAX_SCANS) throw new Broken(`it has more than ${MAX_SCANS} scans`);
      for (const id of componentIds(bytes, at + 2, 2))
        if (uncoded?.delete(id) === false) throw new Broken('a scan codes what is not there, or again');
    }
    at += bytes.readUInt16BE(at);
    if (marker === SOS) at = endOfScan(bytes, at);
  }
  if (frames !== 1 || scans === 0 || uncoded?.size) throw new Broken('it holds no whole picture');
  return at;
}

/** A count, and so many entries that begin with the number of a component. */
function componentIds(bytes: Buffer, at: number, entryLength: number): number[] {
  return Array.from({ length: bytes.readUInt8(at) }, (_, index) =>
    bytes.readUInt8(at + 1 + index * entryLength),
  );
}

const EOI = 0xd9;
const SOS = 0xda;
const isStandalone = (marker: number) => marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8);
// C4, C8 and CC are tables and an extension, not frames.
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
const isSequential = (marker: number) => marker <= 0xc1;

/** Where the next marker is: in coded data FF is followed by 00, or by a restart marker. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue;
    const next = bytes[at + 1]!;
    if (next !== 0x00 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  throw new Broken(BREAKS_OFF);
}

function walkPng(bytes: Buffer): number {
  const seen = new Set<string>();
  for (let [at, parts] = [8, 0]; parts < MAX_PARTS; parts++) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.toString('latin1', at + 4, at + 8);
    if (!/^[A-Za-z]{4}$/.test(name)) throw new Broken('the name of one of its parts is none');
    if (bytes.readUInt32BE(at + 8 + length) !== crc32(bytes.subarray(at + 4, at + 8 + length)))
      throw new Broken(`the checksum of its ${name} part is wrong`);
    if (seen.size === 0 && name !== 'IHDR') throw new Broken('it does not start with IHDR');
    seen.add(name);
    at += length + 12;
    if (name !== 'IEND') continue;
    if (length > 0 || !seen.has('IDAT')) throw new Broken('it holds no picture');
    return at;
  }
  throw new Broken(`it has more than ${MAX_PARTS} parts`);
}

function walkWebp(bytes: Buffer): number {
  const end = 8 + padded(bytes.readUInt32LE(4));
  if (end > bytes.length) throw new Broken(BREAKS_OFF);
  let at = 12;
  while (at < end) at += 8 + padded(bytes.readUInt32LE(at + 4));
  if (at !== end) throw new Broken('its parts are longer than the whole');
  return end;
}

const padded = (length: number) => length + (length & 1);

function walkGif(bytes: Buffer): number {
  let at = 13 + colourTable(bytes.readUInt8(10));
  for (let frames = 0; ; ) {
    const block = bytes.readUInt8(at++);
    if (block === 0x3b) {
      if (frames === 0) throw new Broken('it holds no picture');
      return at;
    }
    if (block === 0x2c) {
      if (++frames > MAX_FRAMES) throw new Broken(`it has more than ${MAX_FRAMES} frames`);
      const pixels = bytes.readUInt16LE(at + 4) * bytes.readUInt16LE(at + 6);
      at += 9 + colourTable(bytes.readUInt8(at + 8));
      const end = endOfBlocks(bytes, at + 1);
      if (pixels === 0 || !givesPixels(bytes, at + 1, bytes.readUInt8(at), pixels))
        throw new Broken(`its frame ${frames} is not whole`);
      at = end;
    } else if (block === 0x21) at = endOfBlocks(bytes, at + 1);
    else throw new Broken('a block of an unknown kind stands in it');
  }
}

/** Each begins with its length; an empty one is the last. */
function endOfBlocks(bytes: Buffer, from: number): number {
  let at = from;
  for (let length = bytes.readUInt8(at++); length > 0; length = bytes.readUInt8(at++)) at += length;
  return at;
}

const colourTable = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0);

/**
 * Cameras and phones append data of their own to a JPEG, so it may have a tail; but not one that makes the file a
 * document of another kind as well. Nothing honest stands behind the end of the others.
 */
function tailFault(tail: Buffer, type: ImageType): string | undefined {
  if (type !== 'image/jpeg') return `${tail.length} bytes stand behind its end`;
  const text = tail.toString('latin1');
  const foreign = FOREIGN.find(([pattern]) => pattern.test(text))?.[1] ?? (isArchive(tail) && 'an archive');
  return foreign ? `behind its end stands ${foreign}` : undefined;
}

const FOREIGN: [RegExp, string][] = [
  [/<(!doctype|html|head|body|script|svg|iframe|img|object|embed)\b/i, 'HTML'],
  [/<\?php/i, 'PHP'],
  [/%PDF-/, 'PDF'],
];

/** The directory of a ZIP is at its end, before a comment of 64 KB at most; farther away its mark is mere chance. */
function isArchive(tail: Buffer): boolean {
  const directory = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  return directory !== -1 && tail.length - directory <= 22 + 65_535;
}
