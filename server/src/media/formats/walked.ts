/**
 * What a walk through the blocks of a file found: the pieces that are published, in order, and where the image ends.
 * The pieces leave out metadata, which can name the place and the person that took the picture; compressed pixels are
 * copied unchanged.
 */
export interface Walked {
  kept: Buffer[];
  end: number;
}

/** The file is not a whole image of its format. The message completes "is a broken image/png: …". */
export class Broken extends Error {}

export const TRUNCATED = 'it ends before the image is complete';

/** Far more than real files have. Without a limit, ten megabytes of empty blocks cost seconds. */
export const MAX_PARTS = 50_000;
