import { imagesOfProduct } from '../media/queries.js';
import { joined, raw, type Statement, sql } from '../platform/db/sql.js';
import { productJson, variationJson } from './records.js';

/** The parts of GET /products/{id} that the records of a list contain only if they are requested. */
export const PRODUCT_PARTS = ['images', 'variants'] as const;
export type ProductPart = (typeof PRODUCT_PARTS)[number];

/** Returns an SQL expression for the JSON of the products row `p` with these parts, in the order of PRODUCT_PARTS. */
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
