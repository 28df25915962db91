/** What may be uploaded. SVG is not among them: it can carry script. */
export const EXTENSIONS = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
} as const;

export type ImageType = keyof typeof EXTENSIONS;

export const IMAGE_TYPES = Object.keys(EXTENSIONS) as ImageType[];
export const MAX_BYTES = 10_485_760;
/** Each costs time, however small it is: 700,000 of one pixel, which fit into 10 MB, took half a minute. */
export const MAX_FRAMES = 5_000;
