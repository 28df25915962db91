import type { Queryable } from '../platform/db/share.js';
import { fixed, joined, raw, type Statement, sql } from '../platform/db/sql.js';
import { badRequest } from '../platform/http/errors.js';
import { listBody } from '../platform/http/send-json.js';
import type { ListMemory } from '../platform/lists/list-memory.js';
import { byTime, metaOf, type PageRequest, type SortKey } from '../platform/lists/paging.js';
import { searchablePage } from '../platform/lists/search.js';
import { isId } from '../platform/schema/ids.js';
import { isoOf } from '../platform/schema/times.js';
import { type ProductPart, productJsonWith } from './product-json.js';
import { type VariationRecord, variationColumns } from './records.js';

export interface ProductFilters {
  /** Not a filter, but cursors contain it like the filters, so that the records of all pages have the same fields. */
  include?: string;
  search?: string;
  categoryId?: number;
  sku?: string;
  ean?: string;
  updatedFrom?: string;
  updatedTo?: string;
}

export const productSorts: Record<string, SortKey> = {
  name: {
    column: 'name_sort',
    cast: 'text collate "C"',
    isValue: (v) => typeof v === 'string' && !v.includes('\0') && v.isWellFormed(),
  },
  price: { column: 'price', cast: 'numeric', isValue: Number.isFinite },
  quantity: { column: 'quantity', cast: 'bigint', isValue: Number.isSafeInteger },
  createdAt: byTime('created_at'),
  updatedAt: byTime('updated_at'),
};

/** Lists products. Returns the response as JSON text. */
export async function listProducts(
  db: Queryable,
  memory: ListMemory,
  workspaceId: string,
  request: PageRequest<ProductFilters>,
  mediaUrl: string,
): Promise<Buffer> {
  const { include, ...filters } = request.filters;
  const parts = (include?.split(',') ?? []) as ProductPart[];
  const page = await searchablePage(
    db,
    { ...request, filters },
    {
      workspaceId,
      from: usesSortValues(request) ? productsWithSortValues : sql`products p`,
      alias: 'p',
      where: matching(workspaceId, filters),
      json: productJsonWith(parts, mediaUrl),
      sorts: productSorts,
      terms: { table: 'product_search', id: 'product_id' },
      plannedOnce: true,
      kept: { list: 'products', memory, stableSorts: ['createdAt'] },
      ...(parts.length > 0 && { maxBytes: MAX_PAGE_BYTES }),
    },
  );
  if (page.isOversized)
    throw badRequest(
      'With the included variations and images, this page exceeds 16 MB. Send a smaller limit.',
      'page_too_large',
    );
  return listBody(page.json, metaOf(request, page));
}

/** Products have no index on their quantity or the time of their last change, because every stock write changes both. */
function usesSortValues({ sort, filters }: PageRequest<ProductFilters>): boolean {
  return (
    ['quantity', 'updatedAt'].includes(sort.replace('-', '')) ||
    filters.updatedFrom !== undefined ||
    filters.updatedTo !== undefined
  );
}

/**
 * The columns of products that a list needs, with the quantity and the time from the table that has indexes on them.
 * Every row has a product, so the outer join is equal to an inner one. PostgreSQL skips it in statements that read only
 * sort keys.
 */
const productsWithSortValues = sql`(
  select s.workspace_id, s.id, s.quantity, s.updated_at, p.name_sort, p.price, p.category_id, p.has_variants, p.ncm,
    p.cest, p.fiscal_origin, p.created_at, p.document, p.document_end
  from product_sort_values s left join products p on p.workspace_id = s.workspace_id and p.id = s.id
) p`;

/** A product may have 1,000 variations, so a page of 100 products could take too much memory. */
const MAX_PAGE_BYTES = 16 * 1_048_576;

/** Lists the variations of a product. Returns undefined if the product does not exist. */
export async function listVariations(
  db: Queryable,
  workspaceId: string,
  productId: string,
): Promise<VariationRecord[] | undefined> {
  if (!isId(productId)) return undefined;
  const rows = await db.query<VariationRecord>(variationsById(workspaceId, productId));
  if (rows.length === 0) return undefined;
  return rows.filter((row) => row.id !== null);
}

export async function listCategories(
  db: Queryable,
): Promise<{ id: number; name: string; parentId: number | null }[]> {
  return db.query(sql`select id, name, parent_id as "parentId" from categories order by id`);
}

const variationsById = fixed(
  (workspaceId: string, productId: string) => sql`
    select ${variationColumns} from products p
    left join variations v on v.workspace_id = p.workspace_id and v.product_id = p.id
    where p.workspace_id = ${workspaceId} and p.id = ${productId} order by v.position`,
);

function matching(workspaceId: string, filters: ProductFilters): Statement {
  const conditions = [sql`p.workspace_id = ${workspaceId}`];
  if (filters.categoryId !== undefined) conditions.push(sql`p.category_id = ${filters.categoryId}`);
  if (filters.sku !== undefined)
    conditions.push(sql`p.id in (${productsWithCode(workspaceId, 'sku', filters.sku)})`);
  if (filters.ean !== undefined)
    conditions.push(sql`p.id in (${productsWithCode(workspaceId, 'ean', filters.ean)})`);
  if (filters.updatedFrom !== undefined)
    conditions.push(sql`p.updated_at >= ${isoOf(filters.updatedFrom)}::timestamptz`);
  if (filters.updatedTo !== undefined)
    conditions.push(sql`p.updated_at <= ${isoOf(filters.updatedTo)}::timestamptz`);
  return joined(conditions, ' and ');
}

/** Uses two index lookups, because an OR over both tables would read all products of the store. */
function productsWithCode(workspaceId: string, code: 'sku' | 'ean', value: string): Statement {
  const column = raw(code);
  return sql`
    select id from products where workspace_id = ${workspaceId} and ${column} = ${value}
    union all
    select product_id from variations where workspace_id = ${workspaceId} and ${column} = ${value}`;
}
