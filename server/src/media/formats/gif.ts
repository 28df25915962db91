import { MAX_FRAMES } from '../image-types.js';
import { yieldsPixels } from './lzw.js';
import { Broken, MAX_PARTS, type Walked } from './walked.js';

const TRAILER = 0x3b;
const IMAGE = 0x2c;
const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
const PLAIN_TEXT = 0x01;
const APPLICATION = 0xff;
/** The application extensions to publish: the repeat count of an animation (under two names) and the color profile. */
const APPLICATIONS = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

export function walkGif(bytes: Buffer): Walked {
  let at = 13 + colorTable(bytes.readUInt8(10));
  const kept = [bytes.subarray(0, at)];
  let frames = 0;
  // The delay and transparency of the next image. They are dropped if a text block follows instead, because text blocks
  // are not published.
  let control: Buffer | undefined;
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    const start = at;
    const block = bytes.readUInt8(at++);
    if (block === TRAILER) {
      if (frames === 0) throw new Broken('it contains no image');
      kept.push(bytes.subarray(start, at));
      return { kept, end: at };
    }
    if (block === IMAGE) {
      at = endOfImage(bytes, at, ++frames);
      if (control) kept.push(control);
      control = undefined;
      kept.push(bytes.subarray(start, at));
    } else if (block === EXTENSION) {
      const label = bytes.readUInt8(at);
      at = endOfBlocks(bytes, at + 1);
      const extension = bytes.subarray(start, at);
      if (label === GRAPHIC_CONTROL) control = extension;
      else if (label === PLAIN_TEXT) control = undefined;
      else if (label === APPLICATION && APPLICATIONS.has(extension.toString('latin1', 3, 14)))
        kept.push(extension);
    } else throw new Broken('it contains a block of an unknown kind');
  }
  throw new Broken(`it has more than ${MAX_PARTS} blocks`);
}

function endOfImage(bytes: Buffer, from: number, frame: number): number {
  if (frame > MAX_FRAMES) throw new Broken(`it has more than ${MAX_FRAMES} frames`);
  const pixels = bytes.readUInt16LE(from + 4) * bytes.readUInt16LE(from + 6);
  const data = from + 9 + colorTable(bytes.readUInt8(from + 8));
  const end = endOfBlocks(bytes, data + 1);
  if (pixels === 0 || !yieldsPixels(bytes, data + 1, bytes.readUInt8(data), pixels))
    throw new Broken(`its frame ${frame} is incomplete`);
  return end;
}

/** Returns the end of a sequence of sub-blocks. Each sub-block begins with its length, and an empty one is the last. */
function endOfBlocks(bytes: Buffer, from: number): number {
  let at = from;
  for (let length = bytes.readUInt8(at++); length > 0; length = bytes.readUInt8(at++)) at += length;
  return at;
}

const colorTable = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0);
