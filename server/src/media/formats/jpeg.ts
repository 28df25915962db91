import { orientationOnly } from './exif.js';
import { Broken, TRUNCATED, type Walked } from './walked.js';

/** A color profile takes up to 255 segments, and 100 scans with their tables take a few hundred. */
const MAX_SEGMENTS = 1_000;
const MAX_SCANS = 100;
const MAX_COMPONENTS = 4;

const EOI = 0xd9;
const SOS = 0xda;
const COM = 0xfe;

export function walkJpeg(bytes: Buffer): Walked {
  const kept = [bytes.subarray(0, 2)];
  let at = 2;
  let [segments, scans] = [0, 0];
  let hasFrame = false;
  // The components that no scan has coded so far. A sequential JPEG codes each component exactly once. For other JPEGs
  // the variable stays undefined, because several scans may refine the same component.
  let uncoded: Set<number> | undefined;
  for (;;) {
    if (bytes.readUInt8(at) !== 0xff) throw new Broken('a marker is missing');
    while (bytes.readUInt8(at) === 0xff) at++;
    const start = at - 1;
    const marker = bytes.readUInt8(at++);
    if (marker === EOI) {
      kept.push(bytes.subarray(start, at));
      break;
    }
    if (isStandalone(marker)) throw new Broken('it contains a misplaced marker');
    if (++segments > MAX_SEGMENTS) throw new Broken(`it has more than ${MAX_SEGMENTS} segments`);
    if (isFrame(marker)) {
      if (hasFrame) throw new Broken('it has more than one frame');
      hasFrame = true;
      if (isSequential(marker)) uncoded = new Set(componentIds(bytes, at + 7, 3));
    }
    if (marker === SOS) {
      if (++scans > MAX_SCANS) throw new Broken(`it has more than ${MAX_SCANS} scans`);
      for (const id of componentIds(bytes, at + 2, 2))
        if (uncoded?.delete(id) === false)
          throw new Broken('a scan references an unknown or repeated component');
    }
    const end = at + bytes.readUInt16BE(at);
    if (end > bytes.length) throw new Broken(TRUNCATED);
    const segment = publishedSegment(marker, bytes.subarray(start, end));
    if (segment) kept.push(segment);
    at = end;
    if (marker === SOS) {
      at = endOfScan(bytes, end);
      kept.push(bytes.subarray(end, at));
    }
  }
  if (!hasFrame || scans === 0 || uncoded?.size) throw new Broken('it contains no complete image');
  return { kept, end: at };
}

/**
 * Returns the part of a segment to publish, if any. A segment consists of a marker and a length (two bytes each) and
 * the data. Metadata that does not affect the display is removed, and so are thumbnails, because thumbnails can show
 * parts that were cropped from the image.
 */
function publishedSegment(marker: number, segment: Buffer): Buffer | undefined {
  const begins = (name: string) => segment.toString('latin1', 4, 4 + name.length) === name;
  if (marker === 0xe0) return begins('JFIF\0') ? shortened(segment, 18, [0, 0]) : undefined;
  if (marker === 0xe1) return begins('Exif\0\0') ? exifSegment(segment.subarray(10)) : undefined;
  if (marker === 0xe2) return begins('ICC_PROFILE\0') ? segment : undefined;
  // Adobe's segment defines the color encoding. Without it, a CMYK image would have wrong colors.
  if (marker === 0xee) return begins('Adobe') ? shortened(segment, 16) : undefined;
  const isMetadata = marker === COM || (marker >= 0xe0 && marker <= 0xfd);
  return isMetadata ? undefined : segment;
}

/**
 * Returns a copy of the segment that is cut to `length` bytes and ends with the bytes `ending`. Returns undefined if
 * the segment is shorter.
 */
function shortened(segment: Buffer, length: number, ending: number[] = []): Buffer | undefined {
  if (segment.length < length) return undefined;
  const made = Buffer.from(segment.subarray(0, length));
  made.writeUInt16BE(length - 2, 2);
  made.set(ending, length - ending.length);
  return made;
}

function exifSegment(tiff: Buffer): Buffer | undefined {
  const orientation = orientationOnly(tiff);
  if (!orientation) return undefined;
  const head = Buffer.from('\xff\xe1\0\0Exif\0\0', 'latin1');
  head.writeUInt16BE(head.length - 2 + orientation.length, 2);
  return Buffer.concat([head, orientation]);
}

/** Reads a list of components: their count, followed by one entry for each. An entry begins with the component id. */
function componentIds(bytes: Buffer, at: number, entryLength: number): number[] {
  const count = bytes.readUInt8(at);
  if (count > MAX_COMPONENTS) throw new Broken(`it has more than ${MAX_COMPONENTS} components`);
  return Array.from({ length: count }, (_, index) => bytes.readUInt8(at + 1 + index * entryLength));
}

const isStandalone = (marker: number) => marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8);
// C4 and CC define tables, and C8 is reserved for extensions, so these three do not start a frame.
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
const isSequential = (marker: number) => marker <= 0xc1;

/** Returns the position of the marker after a scan. Within a scan, FF is followed by 00 or begins a restart marker. */
function endOfScan(bytes: Buffer, from: number): number {
  for (
    let at = bytes.indexOf(0xff, from);
    at !== -1 && at + 1 < bytes.length;
    at = bytes.indexOf(0xff, at + 1)
  ) {
    const next = bytes[at + 1]!;
    if (next !== 0x00 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  throw new Broken(TRUNCATED);
}
