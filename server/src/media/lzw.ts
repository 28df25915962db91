const MAX_CODES = 4096;

/** Of the string that each code stands for; no pixel is kept. Shared, since nothing here waits. */
const lengths = new Uint32Array(MAX_CODES);

/**
 * Do the sub-blocks that begin here, and end within the bytes, give so many pixels? libvips' reader of GIF silently fills up what a frame lacks
 * and passes over codes that mean nothing; others refuse both. Ten megabytes take some 0.2 s.
 */
export function givesPixels(bytes: Buffer, from: number, codeSize: number, wanted: number): boolean {
  if (codeSize < 2 || codeSize > 8) return false;
  const clear = 1 << codeSize;
  lengths.fill(1, 0, clear);
  let pixels = 0;
  let next = clear + 2;
  let size = codeSize + 1;
  let previous = -1;
  let at = from;
  let blockEnd = from;
  let held = 0;
  let bits = 0;
  for (;;) {
    while (bits < size) {
      if (at === blockEnd) {
        const length = bytes[at++]!;
        if (length === 0) return false;
        blockEnd = at + length;
      }
      held |= bytes[at++]! << bits;
      bits += 8;
    }
    const code = held & ((1 << size) - 1);
    held >>>= size;
    bits -= size;
    if (code === clear) {
      next = clear + 2;
      size = codeSize + 1;
      previous = -1;
      continue;
    }
    if (code === clear + 1 || code > (previous === -1 ? clear : next)) return false;
    if (previous === -1) pixels++;
    else {
      // Set before it is read: the code that is made right now may be the one that is meant.
      if (next < MAX_CODES) lengths[next++] = lengths[previous]! + 1;
      pixels += lengths[code]!;
      if (next === 1 << size && size < 12) size++;
    }
    previous = code;
    if (pixels >= wanted) return true;
  }
}
