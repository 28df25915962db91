import { columns, type JsonFields, jsonObject } from '../platform/sql-json.js';

/** A product as it is stored and answered: the columns carry the names of the API, so a row needs no translation. */
export interface ProductRecord {
  id: string;
  name: string;
  price: number;
  priceDiscount: number | null;
  description: string | null;
  quantity: number;
  weight: number | null;
  width: number | null;
  height: number | null;
  length: number | null;
  typeId: number;
  categoryId: number;
  urlImage: string | null;
  sku: string | null;
  ean: string | null;
  hasVariants: boolean;
  createdAt: string;
  updatedAt: string;
}

export interface VariationRecord {
  id: string;
  combination: string;
  sku: string | null;
  ean: string | null;
  price: number;
  quantity: number;
}

/** Of a products row that goes by the name `p`. */
const productFields: JsonFields = {
  id: ['p.id', 'token'],
  name: ['p.name', 'text'],
  price: ['p.price', 'plain'],
  priceDiscount: ['p.price_discount', 'plain?'],
  description: ['p.description', 'text?'],
  quantity: ['p.quantity', 'plain'],
  weight: ['p.weight', 'plain?'],
  width: ['p.width', 'plain?'],
  height: ['p.height', 'plain?'],
  length: ['p.length', 'plain?'],
  typeId: ['p.type_id', 'plain'],
  categoryId: ['p.category_id', 'plain'],
  urlImage: ['p.url_image', 'text?'],
  sku: ['p.sku', 'text?'],
  ean: ['p.ean', 'text?'],
  hasVariants: ['p.has_variants', 'plain'],
  createdAt: ['p.created_at', 'time'],
  updatedAt: ['p.updated_at', 'time'],
};

/** Of a variations row that goes by the name `v`. */
const variationFields: JsonFields = {
  id: ['v.id', 'token'],
  combination: ['v.combination', 'text'],
  sku: ['v.sku', 'text?'],
  ean: ['v.ean', 'text?'],
  price: ['v.price', 'plain'],
  quantity: ['v.quantity', 'plain'],
};

export const productColumns = columns(productFields);
export const productJson = jsonObject(productFields);
export const variationColumns = columns(variationFields);

/** The detail: with `images` and `variants`, two columns that hold the text of a JSON array each. */
export const productDetailJson = jsonObject({
  ...productFields,
  images: ['images', 'json'],
  variants: ['variants', 'json'],
});
export const variationJson = jsonObject(variationFields);

/** Systems that have no code for a thing send an empty one: no code is no code. */
export function codeOf(text: string | null): string | null {
  return text === '' ? null : text;
}
