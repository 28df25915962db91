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

/** What a product.updated event can be about. These are the names that the filter of a subscription accepts. */
export const CHANGED_FIELDS = [...PRODUCT_FIELDS, 'variants', 'images'] as const;

export type ChangedField = (typeof CHANGED_FIELDS)[number];
