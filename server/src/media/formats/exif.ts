const ORIENTATION = 0x0112;
const SHORT = 3;

/**
 * Returns a TIFF structure with only the orientation, or undefined if the image is neither rotated nor mirrored. The
 * orientation is needed to display the image correctly. No other EXIF field is published.
 */
export function orientationOnly(tiff: Buffer): Buffer | undefined {
  const orientation = readOrientation(tiff);
  if (orientation === undefined || orientation < 2 || orientation > 8) return undefined;
  const result = Buffer.alloc(26);
  result.write('II*\0', 'latin1');
  result.writeUInt32LE(8, 4);
  result.writeUInt16LE(1, 8);
  result.writeUInt16LE(ORIENTATION, 10);
  result.writeUInt16LE(SHORT, 12);
  result.writeUInt32LE(1, 14);
  result.writeUInt16LE(orientation, 18);
  return result;
}

/**
 * Returns undefined if there is no orientation. An unreadable structure counts as having none, because browsers do not
 * rotate such an image either.
 */
function readOrientation(tiff: Buffer): number | undefined {
  const order = tiff.toString('latin1', 0, 4);
  if (order !== 'II*\0' && order !== 'MM\0*') return undefined;
  const little = order.startsWith('I');
  const u16 = (at: number) => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const u32 = (at: number) => (little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  try {
    const directory = u32(4);
    const entries = u16(directory);
    for (let index = 0; index < entries; index++) {
      const entry = directory + 2 + index * 12;
      if (u16(entry) === ORIENTATION) return u16(entry + 2) === SHORT ? u16(entry + 8) : undefined;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}
