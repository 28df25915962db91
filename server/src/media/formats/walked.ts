/**
 * The result of walking through the blocks of a file: the parts to publish, in order, and the end of the image. The
 * parts exclude metadata, which can contain the location and the name of the photographer; compressed pixels are
 * copied unchanged.
 */
export interface Walked {
  kept: Buffer[];
  end: number;
}

/** Thrown if the file is not a complete image of its format. The message completes "is a broken image/png: …". */
export class Broken extends Error {}

export const TRUNCATED = 'it ends before the image is complete';

/** Far above the number in real files. Without a limit, ten megabytes of empty blocks take seconds. */
export const MAX_PARTS = 50_000;
