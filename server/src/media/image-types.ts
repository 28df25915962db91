/** The accepted formats. SVG is not among them, because it can contain scripts. */
export const EXTENSIONS = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
} as const;

export type ImageType = keyof typeof EXTENSIONS;

export const IMAGE_TYPES = Object.keys(EXTENSIONS) as ImageType[];
export const MAX_BYTES = 10_485_760;
/**
 * Every frame takes time to verify, however small it is: a file of 10 MB with 700,000 frames of one pixel took half a
 * minute.
 */
export const MAX_FRAMES = 5_000;
/** The maximum per product. The database enforces it too (migration 15). */
export const MAX_IMAGES = 50;
