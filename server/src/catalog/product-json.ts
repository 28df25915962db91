import { imagesOfProduct } from '../media/queries.js';
import { joined, raw, type Statement, sql } from '../platform/db/sql.js';
import { productJson, variationJson } from './records.js';

/** The parts of a product detail that list records do not contain by default. */
export const PRODUCT_PARTS = ['images', 'variants'] as const;
export type ProductPart = (typeof PRODUCT_PARTS)[number];

/** Builds the JSON text of the products row with the alias `p`, with these parts in the same order as in the detail. */
export function productJsonWith(parts: readonly ProductPart[], mediaUrl: string): Statement {
  const lists = PRODUCT_PARTS.filter((part) => parts.includes(part)).map(
    (part) =>
      sql` || ${raw(`',"${part}":['`)} || coalesce(${part === 'images' ? imagesOfProduct(mediaUrl) : variations}, '') || ']'`,
  );
  return sql`${productJson}${joined(lists, '')} || '}'`;
}

// Reads the variations table only if the product has variations.
const variations = sql`case when p.has_variants then (
  select string_agg(${variationJson}, ',' order by v.position)
  from variations v where v.workspace_id = p.workspace_id and v.product_id = p.id) end`;
