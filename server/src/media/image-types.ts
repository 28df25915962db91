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
