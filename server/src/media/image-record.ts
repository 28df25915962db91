import type { Static } from 'typebox';
import { Id, Nullable, Shape, Time } from '../platform/schema/shapes.js';
import { Type } from '../platform/schema/type.js';

export const Image = Shape('Image', {
  id: Id(),
  productId: Id(),
  url: Type.String({
    description: 'The URL of the image.',
  }),
  key: Nullable(Type.String()),
  order: Type.Integer({ description: 'Position; 0 is the cover.' }),
  contentType: Nullable(Type.String()),
  size: Nullable(Type.Integer({ description: 'Size in bytes.' })),
  width: Nullable(Type.Integer()),
  height: Nullable(Type.Integer()),
  createdAt: Time(),
  option: Type.Optional(
    Type.String({ description: 'The option that the image shows. Absent if it shows none in particular.' }),
  ),
});

export type ImageRecord = Static<typeof Image>;
