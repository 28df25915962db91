import sharp from 'sharp';
import type { ImageType } from '../../media/image-types.js';
import { type Drawing, mix, toneOf } from './drawings/tone.js';

export interface Picture {
  bytes: Buffer;
  contentType: ImageType;
}

/** `front`: the product alone. `detail`: a close-up. `scene`: the product on a table, in landscape format. */
export type View = 'front' | 'detail' | 'scene';

export interface PictureRequest {
  draw: Drawing;
  color: string;
  view: View;
  /** Whether the front view has portrait format, for products that are taller than wide. */
  portrait: boolean;
}

/** Draws a picture of a demo product as a raster image, because stores do not accept SVG. */
export async function drawPicture({ draw, color, view, portrait }: PictureRequest): Promise<Picture> {
  const image = sharp(Buffer.from(compose(draw, color, view, portrait)));
  // The views have different file formats, so that the demo store shows that several are accepted. The encoders use
  // fast settings, because the first start draws about 90 pictures.
  if (view === 'front')
    return { bytes: await image.jpeg({ quality: 88 }).toBuffer(), contentType: 'image/jpeg' };
  if (view === 'detail')
    return { bytes: await image.png({ compressionLevel: 4 }).toBuffer(), contentType: 'image/png' };
  return { bytes: await image.webp({ quality: 86, effort: 1 }).toBuffer(), contentType: 'image/webp' };
}

function compose(draw: Drawing, color: string, view: View, portrait: boolean): string {
  const product = draw(toneOf(color));
  const wall = mix(color, '#f3efe8', 0.86);
  const ground = mix(color, '#e4ddd1', 0.8);
  if (view === 'scene')
    return svg(
      1280,
      960,
      `
      <rect width="1280" height="960" fill="${wall}"/><rect y="690" width="1280" height="270" fill="${ground}"/>
      <circle cx="1010" cy="330" r="210" fill="${mix(wall, '#ffffff', 0.55)}"/>
      <rect x="90" y="470" width="190" height="220" rx="16" fill="${mix(ground, color, 0.18)}"/><circle cx="185" cy="400" r="70" fill="${mix(wall, color, 0.3)}"/>
      ${shadow(650, 835, 330)}<g transform="translate(290 130) scale(.82 .82)" >${product}</g>`,
    );
  if (view === 'detail')
    return svg(
      1000,
      1000,
      `
      <rect width="1000" height="1000" fill="${mix(wall, '#ffffff', 0.4)}"/><g transform="translate(-450 -440) scale(1.9)">${product}</g>`,
    );
  const height = portrait ? 1250 : 1000;
  const top = portrait ? 150 : 20;
  return svg(
    1000,
    height,
    `
    <defs><linearGradient id="wall" x2="0" y2="1"><stop stop-color="${mix(wall, '#ffffff', 0.5)}"/><stop offset="1" stop-color="${wall}"/></linearGradient></defs>
    <rect width="1000" height="${height}" fill="url(#wall)"/>${shadow(500, top + 50 + 870 * 0.92, 330)}
    <g transform="translate(40 ${top + 40}) scale(.92)">${product}</g>`,
  );
}

function shadow(x: number, y: number, width: number): string {
  return `<ellipse cx="${x}" cy="${y}" rx="${width}" ry="26" fill="#2b2620" opacity=".14"/>`;
}

function svg(width: number, height: number, body: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${body}</svg>`;
}
