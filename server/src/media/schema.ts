import type { Static } from 'typebox';
import type { FaultDetail } from '../platform/http/errors.js';
import { normalizedName } from '../platform/schema/normalize.js';
import { HttpUrl, Name, Nullable, OneOf, Shape, Text } from '../platform/schema/shapes.js';
import { Type } from '../platform/schema/type.js';
import { Image } from './image-record.js';
import { IMAGE_TYPES, MAX_BYTES } from './image-types.js';

export const ImageList = Shape('ImageList', { data: Type.Array(Image) });

export const NewUpload = Shape(
  'NewUpload',
  {
    productId: Text(100, { description: 'The product to which the file will be attached.' }),
    contentType: OneOf(IMAGE_TYPES),
    contentLength: Type.Integer({
      minimum: 1,
      maximum: MAX_BYTES,
      description: 'Exact size of the file in bytes, 10 MB at most.',
    }),
  },
  {
    examples: [
      { productId: '01a1df25-7929-7c23-b2dc-ac78e5c21043', contentType: 'image/jpeg', contentLength: 48_213 },
    ],
  },
);
export type NewUpload = Static<typeof NewUpload>;

export const SignedUpload = Shape('SignedUpload', {
  uploadUrl: Type.String({
    description: 'PUT the file here within five minutes, with exactly the headers that the response lists.',
  }),
  key: Type.String({ examples: ['product_images/01a1df25-7929-7c23-b2dc-ac78e5c21043/h2f7….jpg'] }),
  expiresIn: Type.Integer({ examples: [300] }),
  headers: Type.Object({ 'Content-Type': Type.String(), 'Content-Length': Type.String() }),
});

/** The maximum length of an option of a variation. */
const MAX_OPTION = 100;

function Position(effect: string) {
  return Type.Integer({
    minimum: 0,
    maximum: 2_147_483_647,
    description: `Position; 0 is the cover. ${effect}`,
  });
}

function ShownOption() {
  return Name(MAX_OPTION, {
    description:
      'The option of a variation that the image shows, for example "Azul". The shop shows the image first when a buyer chooses that option.',
  });
}

export const NewImage = Shape(
  'NewImage',
  {
    key: Type.Optional(
      Text(255, { description: 'The key of an uploaded file; exactly one of key and url is required.' }),
    ),
    url: Type.Optional(
      HttpUrl({
        description: 'The URL of a published image. It is stored as given; nothing is downloaded.',
      }),
    ),
    order: Type.Optional(
      Position(
        'Images at or after this position move down by one. If absent or higher than the number of images, the image is added last.',
      ),
    ),
    option: Type.Optional(ShownOption()),
  },
  {
    'x-one-of': ['key', 'url'],
    'x-rule': svgFaults,
    examples: [{ url: 'https://erp.example/pictures/camiseta.jpg', order: 0 }],
  },
);
export type NewImage = Static<typeof NewImage>;

function svgFaults({ url }: { url?: unknown }): FaultDetail[] {
  const isSvg = typeof url === 'string' && URL.canParse(url) && pointsToSvg(url);
  return isSvg ? [{ field: 'url', message: 'points to an SVG, which is not accepted' }] : [];
}

/** Returns whether the path of the URL ends in .svg. Percent-encoded characters are recognized too. */
function pointsToSvg(url: string): boolean {
  const path = new URL(url).pathname.replace(/%([0-7][0-9a-f])/gi, (_escape, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return /\.svg$/i.test(path);
}

export const ImageMove = Shape(
  'ImageMove',
  {
    order: Type.Optional(
      Position(
        'The images between the old and the new position shift by one. A position beyond the end moves the image to the end.',
      ),
    ),
    option: Type.Optional(Nullable(ShownOption())),
  },
  { 'x-known-field': true, examples: [{ order: 0 }] },
);

/** Returns an option in the form in which variations store it. */
export function storedOption(option: string): string {
  return normalizedName(option, MAX_OPTION) as string;
}
