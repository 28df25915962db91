/**
 * The result of walking through the blocks of a file: the parts to publish, in order, and the position at which the
 * image ends. Metadata that does not affect how the image looks is left out, because it can reveal the location and the
 * name of the photographer. Compressed pixels are copied unchanged.
 */
export interface Walked {
  kept: Buffer[];
  end: number;
}

/**
 * Thrown if the file is not a complete image of its format or has too many parts. The message completes "is a broken
 * image/png: …".
 */
export class Broken extends Error {}

export const TRUNCATED = 'it ends before the image is complete';

/** Far more blocks than real files have. Without a limit, inspecting 10 MB of empty blocks would take seconds. */
export const MAX_PARTS = 50_000;
