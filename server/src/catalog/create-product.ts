import type { Origin } from '../events/names.js';
import type { Tx } from '../platform/db/share.js';
import { fixed, raw, rawJson, type Statement, sql } from '../platform/db/sql.js';
import { invalid } from '../platform/http/errors.js';
import { newId } from '../platform/schema/ids.js';
import { knownFields, namesOf, nameTaken, noSuchCategory } from './products.js';
import { newVariations } from './put-variations.js';
import { type ProductRecord, productJson, variationJson } from './records.js';
import type { NewProduct } from './schema.js';
import type { VariationsPut } from './variation-structure.js';
import { lowestPrice, type StoredVariation, type VariationType } from './variations.js';

const CATEGORY_OTHERS = 23;
const TYPE_PHYSICAL = 2;
const NO_VARIANTS: VariationsPut = { types: [], combinations: [] };

/** A validated product, with what the statement needs to insert it. */
export type CheckedProduct = Partial<ProductRecord> & {
  id: string;
  name: string;
  categoryId: number;
  origin: Origin;
  types: VariationType[];
  variations: StoredVariation[];
  /** The lowest price of the variations. */
  lowest: number | null;
  /** The texts by which searches find the product. */
  terms: (string | null | undefined)[];
};

export interface Creation {
  categoryExists: boolean;
  /** The product as GET /products/{id} returns it, or null if it was not created. */
  json: string | Buffer | null;
}

/** Creates a product and its variations and returns its JSON. The event product.created covers both. */
export async function createProduct(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  input: NewProduct,
): Promise<string | Buffer> {
  const product = checkedProduct(origin, input);
  const [creation] = await createProducts(tx, workspaceId, [product]);
  return createdJson(product, creation!);
}

/** Returns the product to create. Throws if its variations contradict each other. */
export function checkedProduct(origin: Origin, input: NewProduct): CheckedProduct {
  // Unknown fields are left out, because they may contain values that jsonb rejects, such as NUL or deep nesting.
  const fields = knownFields(input) as NewProduct;
  const { types, variations } = newVariations(input.variants ?? NO_VARIANTS, input.price);
  // A product that declares types but no combinations is a simple product with its own stock.
  const isVaried = variations.length > 0;
  const sum = variations.reduce((total, { quantity }) => total + quantity, 0);
  return {
    typeId: TYPE_PHYSICAL,
    ...fields,
    id: newId(),
    origin,
    categoryId: fields.categoryId ?? CATEGORY_OTHERS,
    quantity: isVaried ? sum : (fields.quantity ?? 0),
    hasVariants: isVaried,
    types,
    variations,
    lowest: lowestPrice(variations),
    terms: [fields.name, fields.sku, fields.ean, ...variations.flatMap(({ sku, ean }) => [sku, ean])],
  };
}

/** Creates the products whose category exists and whose name is free. Returns one result for each, in the same order. */
export async function createProducts(
  tx: Tx,
  workspaceId: string,
  products: CheckedProduct[],
): Promise<Creation[]> {
  const numbered = products.map((product, n) => ({ ...product, n }));
  // Without the part for variations, a simple product that is created alone takes a seventh less of PostgreSQL's time.
  const insert = products.some(({ hasVariants }) => hasVariants)
    ? insertVariedProducts
    : insertSimpleProducts;
  const rows = await tx.query<Creation & { n: number }>(insert(workspaceId, JSON.stringify(numbered)));
  return rows.sort((a, b) => a.n - b.n);
}

/** Returns the JSON of a created product. Throws the reason if it was not created. */
export function createdJson(
  { name, categoryId }: CheckedProduct,
  { categoryExists, json }: Creation,
): string | Buffer {
  if (!categoryExists) throw invalid([noSuchCategory(categoryId)]);
  if (json === null) throw nameTaken(name);
  return json;
}

const insertSimpleProducts = fixed((workspaceId: string, products: string) =>
  insertion(workspaceId, products, sql``, raw(`''`)),
);

const insertVariedProducts = fixed((workspaceId: string, products: string) =>
  insertion(
    workspaceId,
    products,
    sql`
    added as (
      insert into variations as v
        (workspace_id, product_id, id, position, combination, options, sku, ean, price, quantity)
      select ${workspaceId}::uuid, asked.id, n.id, n.position, n.combination, n.options, n.sku, n.ean, n.price, n.quantity
      from created join asked on asked.id = created.id,
        jsonb_to_recordset(asked.variations) as n(id uuid, position integer, combination text, options text[], sku text,
          ean text, price numeric, quantity integer)
      returning v.product_id, v.position, ${variationJson} as json
    ),`,
    sql`coalesce((select string_agg(json, ',' order by position) from added where product_id = asked.id), '')`,
  ),
);

/**
 * Writes each row once, in one round trip. If a name is taken, even by a concurrent request, the unique index prevents
 * the insert and the product is not in `created`. A statement that inserts several names waits for other transactions
 * that have inserted one of them. The names are inserted in a fixed order, and not while a product is being renamed, so
 * that no two transactions wait for each other. The events have the order of the requests.
 */
function insertion(
  workspaceId: string,
  products: string,
  variations: Statement,
  variants: Statement,
): Statement {
  return sql`
    with asked as materialized (
      select n.*, category.id is not null as "categoryExists"
      from (select pg_advisory_xact_lock_shared(${namesOf(workspaceId)})) no_renames,
        jsonb_to_recordset(${products}::jsonb) as n(n integer, id uuid, name text, price numeric,
          "priceDiscount" numeric, description text, quantity bigint, weight numeric, width numeric, height numeric,
          length numeric, "typeId" smallint, "categoryId" integer, "urlImage" text, sku text, ean text, ncm text,
          cest text, "fiscalOrigin" smallint, "hasVariants" boolean, types jsonb, lowest numeric, terms text[],
          origin text, variations jsonb)
        left join categories category on category.id = n."categoryId"
    ),
    created as (
      insert into products as p
        (workspace_id, id, name, price, price_discount, description, quantity, weight, width, height, length, type_id,
         category_id, url_image, sku, ean, ncm, cest, fiscal_origin, has_variants, variation_types, variations_from)
      select ${workspaceId}::uuid, id, name, price, "priceDiscount", description, quantity, weight, width, height, length,
        "typeId", "categoryId", "urlImage", sku, ean, ncm, cest, "fiscalOrigin", "hasVariants", types, lowest
      from asked where "categoryExists" order by name collate "C", n
      on conflict (workspace_id, name) do nothing
      returning p.id, ${productJson} as json
    ),${variations}
    search as (
      insert into product_search (workspace_id, product_id, terms)
      select ${workspaceId}::uuid, asked.id, search_terms(variadic asked.terms)
      from created join asked on asked.id = created.id
    ),
    event as (
      insert into outbox (workspace_id, event, data, origin)
      select ${workspaceId}::uuid, 'product.created', jsonb_build_object('id', asked.id, 'name', asked.name), asked.origin
      from created join asked on asked.id = created.id order by asked.n
    )
    select asked.n, asked."categoryExists", ${rawJson(
      sql`created.json || ',"images":[],"variants":[' || ${variants} || ']}'`,
      'json',
    )}
    from asked left join created on created.id = asked.id`;
}
