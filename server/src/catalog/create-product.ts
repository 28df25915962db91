import type { Origin } from '../events/names.js';
import type { Tx } from '../platform/db/share.js';
import { fixed, raw, rawJson, type Statement, sql } from '../platform/db/sql.js';
import { invalid } from '../platform/http/errors.js';
import { newId } from '../platform/schema/ids.js';
import { knownFields, nameTaken, noSuchCategory } from './products.js';
import { newVariations } from './put-variations.js';
import { type ProductRecord, productColumns, productJson, variationJson } from './records.js';
import type { NewProduct } from './schema.js';
import type { VariationsPut } from './variation-structure.js';
import { lowestPrice } from './variations.js';

const CATEGORY_OTHERS = 23;

export async function createProduct(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  input: NewProduct,
): Promise<ProductRecord> {
  const { name, categoryId, fields } = readProduct(input);
  const [row] = await tx.query<Partial<ProductRecord> & { categoryExists: boolean }>(
    insertProduct(workspaceId, newId(), name, fields, categoryId, origin),
  );
  const { categoryExists, ...created } = row!;
  if (!categoryExists) throw invalid([noSuchCategory(categoryId)]);
  if (!created.id) throw nameTaken(name);
  return created as ProductRecord;
}

/** Creates a product together with its variations and returns its JSON. The event product.created covers both. */
export async function createVariedProduct(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  input: NewProduct,
  structure: VariationsPut,
): Promise<string | Buffer> {
  const { name, categoryId, fields } = readProduct(input);
  const { types, variations } = newVariations(structure, input.price);
  const isVaried = variations.length > 0;
  // A product that declares types but no combinations is a simple product with its own stock.
  const sum = isVaried ? variations.reduce((total, { quantity }) => total + quantity, 0) : null;
  const [row] = await tx.query<{ categoryExists: boolean; json: string | Buffer | null }>(
    insertVariedProduct(
      workspaceId,
      newId(),
      name,
      fields,
      categoryId,
      origin,
      sum,
      isVaried,
      JSON.stringify(types),
      lowestPrice(variations),
      JSON.stringify(variations),
    ),
  );
  if (!row!.categoryExists) throw invalid([noSuchCategory(categoryId)]);
  if (row!.json === null) throw nameTaken(name);
  return row!.json;
}

/** Keeps only known fields, because others may contain values that jsonb rejects, such as NUL or deep nesting. */
function readProduct(input: NewProduct): { name: string; categoryId: number; fields: string } {
  const product = knownFields(input) as NewProduct;
  return {
    name: product.name,
    categoryId: product.categoryId ?? CATEGORY_OTHERS,
    fields: JSON.stringify(product),
  };
}

interface NewRow {
  workspaceId: string;
  id: string;
  name: string;
  fields: string;
  categoryId: number;
  quantity: Statement;
  isVaried: Statement;
  types: Statement;
  /** The lowest price of the variations. */
  lowest: Statement;
}

/**
 * The first steps of creating a product, as CTEs of one statement. The statement takes one round trip and writes each
 * row once. If the name is taken, even by a concurrent request, the unique index prevents the insert and `created` is
 * empty.
 */
function insertedRow(row: NewRow): Statement {
  return sql`
    category as (select id from categories where id = ${row.categoryId}),
    created as (
      insert into products as p
        (workspace_id, id, name, price, price_discount, description, quantity, weight, width, height, length, type_id,
         category_id, url_image, sku, ean, ncm, cest, fiscal_origin, has_variants, variation_types,
         variations_from)
      select ${row.workspaceId}::uuid, ${row.id}::uuid, ${row.name}, n.price, n."priceDiscount", n.description,
        coalesce(${row.quantity}, 0), n.weight, n.width, n.height, n.length, coalesce(n."typeId", 2), category.id,
        n."urlImage", n.sku, n.ean, n.ncm, n.cest, n."fiscalOrigin", ${row.isVaried}, ${row.types},
        ${row.lowest}
      from category, jsonb_to_record(${row.fields}::jsonb) as n(price numeric, "priceDiscount" numeric, description text,
        quantity integer, weight numeric, width numeric, height numeric, length numeric, "typeId" smallint,
        "urlImage" text, sku text, ean text, ncm text, cest text, "fiscalOrigin" smallint)
      on conflict (workspace_id, name) do nothing
      returning p.*
    )`;
}

function searchAndEvent(workspaceId: string, origin: Origin, terms: Statement): Statement {
  return sql`
    search as (
      insert into product_search (workspace_id, product_id, terms) select ${workspaceId}::uuid, id, ${terms} from created
    ),
    event as (
      insert into outbox (workspace_id, event, data, origin)
      select ${workspaceId}::uuid, 'product.created', jsonb_build_object('id', id, 'name', name), ${origin} from created
    )`;
}

const insertProduct = fixed(
  (workspaceId: string, id: string, name: string, fields: string, categoryId: number, origin: Origin) => sql`
    with ${insertedRow({
      workspaceId,
      id,
      name,
      fields,
      categoryId,
      quantity: raw('n.quantity'),
      isVaried: raw('false'),
      types: raw(`'[]'`),
      lowest: raw('null'),
    })},
    ${searchAndEvent(workspaceId, origin, raw('search_terms(name, sku, ean)'))}
    select exists (select from category) as "categoryExists", p.*
    from (select) one left join (select ${productColumns} from created p) p on true`,
);

const insertVariedProduct = fixed(
  (
    workspaceId: string,
    id: string,
    name: string,
    fields: string,
    categoryId: number,
    origin: Origin,
    sum: number | null,
    isVaried: boolean,
    types: string,
    lowest: number | null,
    variations: string,
  ) => sql`
    with ${insertedRow({
      workspaceId,
      id,
      name,
      fields,
      categoryId,
      quantity: sql`${sum}::bigint, n.quantity`,
      isVaried: sql`${isVaried}::boolean`,
      types: sql`${types}::jsonb`,
      lowest: sql`${lowest}::numeric`,
    })},
    listed as materialized (
      select * from jsonb_to_recordset(${variations}::jsonb) as v(id uuid, position integer, combination text,
        options text[], sku text, ean text, price numeric, quantity integer)
    ),
    added as (
      insert into variations as v
        (workspace_id, product_id, id, position, combination, options, sku, ean, price, quantity)
      select created.workspace_id, created.id, n.id, n.position, n.combination, n.options, n.sku, n.ean, n.price, n.quantity
      from created, listed n
      returning v.position, ${variationJson} as json
    ),
    ${searchAndEvent(
      workspaceId,
      origin,
      raw(`search_terms(variadic array[name, sku, ean] || array(
        select code from listed v, unnest(array[v.sku, v.ean]) code where code is not null order by v.position))`),
    )}
    select exists (select from category) as "categoryExists", ${rawJson(
      sql`(select ${productJson} || ',"images":[],"variants":['
        || coalesce((select string_agg(json, ',' order by position) from added), '') || ']}' from created p)`,
      'json',
    )}`,
);
