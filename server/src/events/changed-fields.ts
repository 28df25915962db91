/** The fields of a product that a PATCH can change. product.updated lists those whose value changed. */
export const PRODUCT_FIELDS = [
  'name',
  'price',
  'priceDiscount',
  'description',
  'quantity',
  'weight',
  'width',
  'height',
  'length',
  'typeId',
  'categoryId',
  'urlImage',
  'sku',
  'ean',
  'ncm',
  'cest',
  'fiscalOrigin',
] as const;

/** The changes that product.updated can report. The filter of a subscription accepts these names. */
export const CHANGED_FIELDS = [...PRODUCT_FIELDS, 'variants', 'images'] as const;

export type ChangedField = (typeof CHANGED_FIELDS)[number];
