import { orientationOnly } from './exif.js';
import { Broken, MAX_PARTS, TRUNCATED, type Walked } from './walked.js';

const IMAGE_CHUNKS = new Set(['VP8 ', 'VP8L', 'ALPH']);
const FILE_CHUNKS = new Set([...IMAGE_CHUNKS, 'VP8X', 'ICCP', 'ANIM']);
/** A frame of an animation: 16 bytes with its position, size and duration, followed by the chunks of the frame. */
const FRAME = 'ANMF';
const FRAME_HEADER = 16;
const EXIF_FLAG = 0x08;
const XMP_FLAG = 0x04;

interface Chunk {
  name: string;
  data: Buffer;
  /** The complete chunk: name, length, data and padding. */
  whole: Buffer;
}

export function walkWebp(bytes: Buffer): Walked {
  const end = 8 + padded(bytes.readUInt32LE(4));
  if (end > bytes.length) throw new Broken(TRUNCATED);
  let exif: Buffer | undefined;
  let header: Buffer | undefined;
  const kept: Buffer[] = [];
  for (const { name, data, whole } of chunksOf(bytes.subarray(12, end))) {
    if (name === 'EXIF') exif ??= exifChunk(data);
    else if (name === FRAME) kept.push(publishedFrame(data));
    else if (name === 'VP8X' && data.length > 0 && !header) {
      header = Buffer.from(whole);
      kept.push(header);
    } else if (FILE_CHUNKS.has(name)) kept.push(whole);
  }
  // The flags of the VP8X header must match the chunks. A file without that header cannot have an orientation.
  if (header) header[8] = (header[8]! & ~(XMP_FLAG | EXIF_FLAG)) | (exif ? EXIF_FLAG : 0);
  if (header && exif) kept.push(exif);
  const riff = Buffer.from(bytes.subarray(0, 12));
  riff.writeUInt32LE(
    kept.reduce((sum, chunk) => sum + chunk.length, 4),
    4,
  );
  return { kept: [riff, ...kept], end };
}

function publishedFrame(data: Buffer): Buffer {
  const chunks = chunksOf(data.subarray(FRAME_HEADER)).filter(({ name }) => IMAGE_CHUNKS.has(name));
  return makeChunk(
    FRAME,
    Buffer.concat([data.subarray(0, FRAME_HEADER), ...chunks.map(({ whole }) => whole)]),
  );
}

function exifChunk(data: Buffer): Buffer | undefined {
  // Some programs put the Exif header of a JPEG segment before the TIFF structure.
  const tiff = data.toString('latin1', 0, 6) === 'Exif\0\0' ? data.subarray(6) : data;
  const orientation = orientationOnly(tiff);
  return orientation && makeChunk('EXIF', orientation);
}

function chunksOf(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  let at = 0;
  while (at < bytes.length) {
    const length = bytes.readUInt32LE(at + 4);
    const next = at + 8 + padded(length);
    if (next > bytes.length) throw new Broken('a chunk is longer than the file or frame that contains it');
    chunks.push({
      name: bytes.toString('latin1', at, at + 4),
      data: bytes.subarray(at + 8, at + 8 + length),
      whole: bytes.subarray(at, next),
    });
    if (chunks.length > MAX_PARTS) throw new Broken(`it has more than ${MAX_PARTS} chunks`);
    at = next;
  }
  return chunks;
}

function makeChunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length & 1)]);
}

const padded = (length: number) => length + (length & 1);
