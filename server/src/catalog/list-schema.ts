import { Image } from '../media/image-record.js';
import { Meta, pagingQuery } from '../platform/lists/paging.js';
import { Id, Shape } from '../platform/schema/shapes.js';
import { Type } from '../platform/schema/type.js';
import { PRODUCT_PARTS } from './product-json.js';
import { productFields, Variation, variationFields } from './schema.js';

const TimeFilter = (description: string) =>
  Type.String({ 'x-time': true, description, examples: ['2026-01-31T00:00:00Z'] });

const updatedFrom = Type.Optional(TimeFilter('Changed at this time or later (RFC 3339).'));
const updatedTo = Type.Optional(TimeFilter('Changed at this time or earlier (RFC 3339).'));

export const productFilters = {
  include: Type.Optional(
    Type.String({
      'x-list-of': PRODUCT_PARTS,
      description:
        'images, variants or both, separated by a comma. Records then contain them as in GET /products/{id}. If a page would exceed 16 MB, the response is a 400 (page_too_large); send a smaller limit.',
      examples: ['variants,images'],
    }),
  ),
  search: Type.Optional(
    Type.String({
      'x-text': true,
      maxLength: 255,
      description:
        'Part of the name, sku or ean of a product, or of the sku or ean of a variation; case and accents do not matter.',
    }),
  ),
  categoryId: Type.Optional(Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647 })),
  sku: Type.Optional(
    Type.String({ 'x-text': true, description: 'The exact sku of the product or of one of its variations.' }),
  ),
  ean: Type.Optional(
    Type.String({ 'x-text': true, description: 'The exact ean of the product or of one of its variations.' }),
  ),
  updatedFrom,
  updatedTo,
};

export const variationFilters = {
  sku: Type.Optional(Type.String({ 'x-text': true, description: 'The exact sku.' })),
  ean: Type.Optional(Type.String({ 'x-text': true, description: 'The exact ean.' })),
  updatedFrom,
  updatedTo,
};

export const VariationQuery = Type.Object({
  ...pagingQuery,
  sort: Type.Optional(
    Type.String({
      description: 'updatedAt; a leading - sorts in descending order. Default -updatedAt.',
      examples: ['updatedAt'],
    }),
  ),
  ...variationFilters,
});

export const ProductQuery = Type.Object({
  ...pagingQuery,
  sort: Type.Optional(
    Type.String({
      description:
        'name, price, quantity, createdAt or updatedAt; a leading - sorts in descending order. Default -createdAt.',
      examples: ['-updatedAt'],
    }),
  ),
  ...productFilters,
});

/** A product in a list, with the parts that `include` requests. */
const ListedProduct = Shape('ListedProduct', {
  ...productFields,
  images: Type.Optional(Type.Array(Image)),
  variants: Type.Optional(Type.Array(Variation)),
});
export const ProductList = Shape('ProductList', { data: Type.Array(ListedProduct), meta: Meta });
export const StoreVariation = Shape('StoreVariation', { productId: Id(), ...variationFields });
export const StoreVariationList = Shape('StoreVariationList', {
  data: Type.Array(StoreVariation),
  meta: Meta,
});
