import type { Static } from 'typebox';
import { Image } from '../media/image-record.js';
import {
  Digits,
  HttpUrl,
  Id,
  Measure,
  Money,
  Name,
  Nullable,
  Quantity,
  Shape,
  Text,
  Time,
} from '../platform/schema/shapes.js';
import { Type } from '../platform/schema/type.js';
import { VariationsOfNewProduct, variantsFaults } from './variation-structure.js';

const NAME_MAX = 255;
export const OfProduct = Type.Object({ id: Type.String({ description: 'Product id' }) });

export const MAX_BATCH = 500;

/** Limits the descriptions on a page of 100 products to 8 MB in total, even if they consist of emoji. */
const DESCRIPTION_MAX = 20_000;

const name = Name(NAME_MAX, {
  description: `Stored trimmed and normalized to Unicode NFC, 1 to ${NAME_MAX} characters. Must be unique in the store (otherwise 409); case-sensitive.`,
  examples: ['Camiseta Básica'],
});
const price = Money({ description: 'In reais, at most 2 decimals.', examples: [79.9] });
const quantity = Quantity({
  description:
    'Stock balance of a simple product. For a product with variations it is their sum and cannot be set.',
  examples: [12],
});
const typeId = {
  minimum: 1,
  maximum: 3,
  description: '1 = Digital, 2 = Physical, 3 = Digital/Physical.',
};
const categoryId = {
  minimum: -2_147_483_648,
  maximum: 2_147_483_647,
  description: 'The id of a category from GET /categories; 23 is Others.',
};

const optional = {
  description: Nullable(Text(DESCRIPTION_MAX, { examples: ['Malha de algodão, gola redonda.'] })),
  weight: Nullable(Measure({ description: 'Kilograms, used for freight.', examples: [0.25] })),
  width: Nullable(Measure({ description: 'Centimetres, used for freight.', examples: [20] })),
  height: Nullable(Measure({ description: 'Centimetres, used for freight.', examples: [3] })),
  length: Nullable(Measure({ description: 'Centimetres, used for freight.', examples: [30] })),
  priceDiscount: Nullable(
    Money({
      description:
        'Promotional price, used while it is lower than the price of the product or variation; null ends the promotion.',
      examples: [59.9],
    }),
  ),
  urlImage: Nullable(
    HttpUrl({ description: 'URL of a published image, stored as given. Nothing is downloaded.' }),
  ),
  sku: Nullable(
    Text(100, { description: 'Your own code for a simple product, for stock sync.', examples: ['CAM-BAS'] }),
  ),
  ean: Nullable(Text(100, { description: 'Barcode (GTIN).', examples: ['7891234567895'] })),
  ncm: Nullable(
    Digits(8, { description: 'Mercosul classification of the goods (NCM).', examples: ['61091000'] }),
  ),
  cest: Nullable(Digits(7, { description: 'Tax substitution code (CEST).', examples: ['2803800'] })),
  fiscalOrigin: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 8,
      description: 'Origin code of the goods for fiscal documents; 0 is domestic.',
      examples: [0],
    }),
  ),
};

export const NewProduct = Shape(
  'NewProduct',
  {
    name,
    price,
    quantity: Type.Optional(quantity),
    typeId: Type.Optional(Type.Integer({ ...typeId, default: 2 })),
    categoryId: Type.Optional(Type.Integer({ ...categoryId, default: 23 })),
    ...mapOptional(optional),
    variants: Type.Optional(VariationsOfNewProduct),
  },
  {
    'x-rule': variantsFaults,
    description:
      'variants has the same structure as the body of PUT /products/{id}/variants. With combinations, quantity is their sum and must be left out.',
    examples: [
      {
        name: 'Camiseta Listrada',
        price: 89.9,
        priceDiscount: 69.9,
        description: 'Malha de algodão, gola redonda.',
        quantity: 12,
        weight: 0.25,
        typeId: 2,
        categoryId: 23,
        sku: 'CAM-LIS',
        ean: '7891234567895',
      },
    ],
  },
);
export type NewProduct = Static<typeof NewProduct>;

export const ProductChange = Shape(
  'ProductChange',
  {
    name: Type.Optional(name),
    price: Type.Optional(price),
    quantity: Type.Optional(quantity),
    typeId: Type.Optional(Type.Integer(typeId)),
    categoryId: Type.Optional(Type.Integer(categoryId)),
    ...mapOptional(optional),
  },
  {
    'x-known-field': true,
    description:
      'Only the fields sent are changed. null clears description, weight, width, height, length, urlImage, sku, ean, ncm, cest, fiscalOrigin and priceDiscount.',
    examples: [{ price: 74.9, priceDiscount: null }],
  },
);
export type ProductChange = Static<typeof ProductChange>;

export const productFields = {
  id: Id(),
  name: Type.String({ examples: ['Camiseta Básica'] }),
  price: Type.Number({ examples: [79.9] }),
  priceDiscount: optional.priceDiscount,
  description: optional.description,
  quantity: Type.Integer({ examples: [12] }),
  weight: optional.weight,
  width: optional.width,
  height: optional.height,
  length: optional.length,
  typeId: Type.Integer(typeId),
  categoryId: Type.Integer({ examples: [23] }),
  urlImage: optional.urlImage,
  sku: optional.sku,
  ean: optional.ean,
  ncm: optional.ncm,
  cest: optional.cest,
  fiscalOrigin: optional.fiscalOrigin,
  hasVariants: Type.Boolean({ description: 'Whether stock is kept per variation.' }),
  createdAt: Time(),
  updatedAt: Time(),
};

export const Product = Shape('Product', productFields);

export const variationFields = {
  id: Id(),
  combination: Type.String({
    examples: ['P - Azul'],
    description: "Options joined by ' - ', in the order of the types.",
  }),
  sku: Nullable(Type.String({ examples: ['CAM-P-AZ'] })),
  ean: Nullable(Type.String({ examples: ['7891234567895'] })),
  price: Type.Number({ examples: [79.9] }),
  quantity: Type.Integer({ examples: [5] }),
  updatedAt: Time(),
};

export const Variation = Shape('Variation', variationFields);

export const ProductDetail = Shape('ProductDetail', {
  ...productFields,
  images: Type.Array(Image),
  variants: Type.Array(Variation),
});

export const VariationList = Shape('VariationList', { data: Type.Array(Variation) });

export const VariationsPatch = Shape(
  'VariationsPatch',
  {
    variants: Type.Array(
      Shape(
        'VariationChange',
        {
          id: Type.Optional(
            Type.String({ description: 'The id of the variation to change. Send id, sku or both.' }),
          ),
          sku: Type.Optional(
            Text(100, {
              description:
                'The sku of the variation to change. If id is sent too, both must refer to the same variation.',
            }),
          ),
          setSku: Type.Optional(Nullable(Text(100, { description: 'The new sku.' }))),
          setEan: Type.Optional(Nullable(Text(100, { description: 'The new ean.' }))),
          price: Type.Optional(Money()),
          quantity: Type.Optional(Quantity()),
        },
        {
          'x-some-of': [
            ['id', 'sku'],
            ['setSku', 'setEan', 'price', 'quantity'],
          ],
        },
      ),
      { minItems: 1, maxItems: MAX_BATCH },
    ),
  },
  { examples: [{ variants: [{ sku: 'CAM-P-AZ', price: 84.9, quantity: 8 }] }] },
);
export type VariationsPatch = Static<typeof VariationsPatch>;

const Category = Shape('Category', {
  id: Type.Integer({ examples: [23] }),
  name: Type.String({ examples: ['Others'] }),
  parentId: Nullable(Type.Integer()),
});
export const CategoryList = Shape('CategoryList', { data: Type.Array(Category) });

function mapOptional<T extends Record<string, ReturnType<typeof Nullable>>>(fields: T) {
  return Object.fromEntries(
    Object.entries(fields).map(([field, shape]) => [field, Type.Optional(shape)]),
  ) as {
    [K in keyof T]: ReturnType<typeof Type.Optional<T[K]>>;
  };
}
