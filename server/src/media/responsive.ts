/**
 * The widths in pixels in which images are served: for thumbnails, cards on phones and desktops, and the product page.
 */
export const WIDTHS = ['160', '320', '640', '1200'] as const;
export type Width = (typeof WIDTHS)[number];

export function isWidth(text: string): text is Width {
  return (WIDTHS as readonly string[]).includes(text);
}

/**
 * Returns the srcset of an image that this server stores, or undefined for any other image. GIFs have no srcset,
 * because a resized animation would show only its first frame.
 */
export function srcsetOf(url: string, mediaUrl: string | undefined): string | undefined {
  const key =
    mediaUrl !== undefined && url.startsWith(`${mediaUrl}/product_images/`)
      ? url.slice(mediaUrl.length + 1)
      : undefined;
  if (key === undefined || key.endsWith('.gif')) return undefined;
  return WIDTHS.map((width) => `${mediaUrl}/w/${width}/${key}.webp ${width}w`).join(', ');
}
