const MAX_CODES = 4096;

/**
 * How many pixels the coded data of one GIF frame gives, up to `wanted`; undefined when a code means nothing. Only
 * lengths are kept, no pixel. libvips' reader fills up silently what a frame lacks, others refuse it.
 */
export function lzwPixels(blocks: Buffer[], codeSize: number, wanted: number): number | undefined {
  if (codeSize < 1 || codeSize > 11) return undefined;
  const clear = 1 << codeSize;
  const lengths = new Uint32Array(MAX_CODES).fill(1, 0, clear);
  let [pixels, next, size, previous] = [0, clear + 2, codeSize + 1, -1];
  let [held, bits] = [0, 0];
  for (const block of blocks) {
    for (const byte of block) {
      held |= byte << bits;
      bits += 8;
      while (bits >= size) {
        const code = held & ((1 << size) - 1);
        held >>>= size;
        bits -= size;
        if (code === clear) {
          [next, size, previous] = [clear + 2, codeSize + 1, -1];
          continue;
        }
        if (code === clear + 1) return pixels;
        if (previous === -1) {
          if (code > clear) return undefined;
          pixels++;
        } else {
          if (code > next) return undefined;
          if (next < MAX_CODES) lengths[next] = lengths[previous]! + 1;
          pixels += lengths[code]!;
          if (next < MAX_CODES) next++;
          if (next === 1 << size && size < 12) size++;
        }
        previous = code;
        if (pixels >= wanted) return wanted;
      }
    }
  }
  return pixels;
}
