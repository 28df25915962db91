import { imagesOfProduct } from '../media/queries.js';
import type { Queryable } from '../platform/db.js';
import { isId } from '../platform/ids.js';
import { type PageRequest, pageClauses, pageOf, REACH, type SortKey, sortOf } from '../platform/paging.js';
import { listBody } from '../platform/send-json.js';
import { fixed, joined, prepared, raw, type Statement, sql } from '../platform/sql.js';
import { timeOf } from '../platform/times.js';
import {
  productDetailJson,
  productJson,
  type VariationRecord,
  variationColumns,
  variationJson,
} from './records.js';

export interface ProductFilters {
  search?: string;
  categoryId?: number;
  sku?: string;
  ean?: string;
  updatedFrom?: string;
  updatedTo?: string;
}

// In UTC, as we give them out: PostgreSQL does not take every offset that RFC 3339 allows.
const isTime = (value: unknown) =>
  typeof value === 'string' && value.endsWith('Z') && timeOf(value) !== undefined;

export const productSorts: Record<string, SortKey> = {
  name: {
    column: 'name_sort',
    cast: 'text collate "C"',
    isValue: (v) => typeof v === 'string' && !v.includes('\0') && v.isWellFormed(),
  },
  price: { column: 'price', cast: 'numeric', isValue: Number.isFinite },
  quantity: { column: 'quantity', cast: 'bigint', isValue: Number.isSafeInteger },
  createdAt: { column: 'created_at', cast: 'timestamptz', isValue: isTime },
  updatedAt: { column: 'updated_at', cast: 'timestamptz', isValue: isTime },
};

/** The answer as the text of its JSON. */
export async function listProducts(
  db: Queryable,
  workspaceId: string,
  request: PageRequest<ProductFilters>,
): Promise<Buffer> {
  const { from, where } = matching(workspaceId, request.filters);
  const { where: beyond, order } = pageClauses(request, productSorts, 'p');
  const sortColumn = raw(`p.${sortOf(productSorts, request.sort).key.column}`);
  const count = sql`select count(*) from (select from ${from} where ${where} limit ${raw(String(REACH + 1))}) counted`;
  const total = request.page === undefined ? raw('null') : sql`(${count})`;
  const page = sql`
    select ${productJson} as json, p.id, ${sortColumn} as sort_value, ${total} as total
    from ${from} where ${where} ${beyond} ${order}`;
  // How rare a searched word is decides the plan, so a search is planned for its word; the rest is planned once.
  const planned = request.filters.search === undefined ? prepared : (statement: Statement) => statement;
  const rows = await db.query<ListedRow>(planned(page));
  const { rows: kept, meta } = pageOf(request, rows, rows[0]?.total ?? (await countBeyondTheEnd()));
  return listBody(
    kept.map(({ json }) => json),
    meta,
  );

  /** A page without rows carries no total. */
  async function countBeyondTheEnd(): Promise<number | undefined> {
    if (request.page === undefined) return undefined;
    if (request.page === 1) return 0;
    const [counted] = await db.query<{ count: number }>(planned(count));
    return counted?.count;
  }
}

interface ListedRow {
  json: Buffer | string;
  id: string;
  sort_value: string | number;
  total: number | null;
}

/** The product with its images and variations, as the text of its JSON. */
export async function findProduct(
  db: Queryable,
  workspaceId: string,
  id: string,
  mediaUrl: string,
): Promise<string | Buffer | undefined> {
  if (!isId(id)) return undefined;
  const [row] = await db.query<{ json: string | Buffer }>(productDetail(workspaceId, id, mediaUrl));
  return row?.json;
}

/** undefined when there is no such product; an empty list when it has no variations. */
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

const productDetail = fixed(
  (workspaceId: string, id: string, mediaUrl: string) => sql`
    select ${productDetailJson} as json
    from products p,
      lateral (select ${imagesOfProduct(mediaUrl)} as images) i,
      lateral (select coalesce((
        select '[' || string_agg(${variationJson}, ',' order by v.position) || ']'
        from variations v where v.workspace_id = p.workspace_id and v.product_id = p.id), '[]') as variants) v
    where p.workspace_id = ${workspaceId} and p.id = ${id}`,
);

const variationsById = fixed(
  (workspaceId: string, productId: string) => sql`
    select ${variationColumns} from products p
    left join variations v on v.workspace_id = p.workspace_id and v.product_id = p.id
    where p.workspace_id = ${workspaceId} and p.id = ${productId} order by v.position`,
);

function matching(workspaceId: string, filters: ProductFilters): { from: Statement; where: Statement } {
  const conditions = [sql`p.workspace_id = ${workspaceId}`];
  if (filters.categoryId !== undefined) conditions.push(sql`p.category_id = ${filters.categoryId}`);
  if (filters.sku !== undefined) conditions.push(sql`p.id in (${carrying(workspaceId, 'sku', filters.sku)})`);
  if (filters.ean !== undefined) conditions.push(sql`p.id in (${carrying(workspaceId, 'ean', filters.ean)})`);
  if (filters.updatedFrom !== undefined)
    conditions.push(sql`p.updated_at >= ${isoOf(filters.updatedFrom)}::timestamptz`);
  if (filters.updatedTo !== undefined)
    conditions.push(sql`p.updated_at <= ${isoOf(filters.updatedTo)}::timestamptz`);
  if (!filters.search) return { from: sql`products p`, where: joined(conditions, ' and ') };
  conditions.push(sql`s.terms like search_pattern(${filters.search})`);
  return {
    from: sql`products p join product_search s on s.workspace_id = p.workspace_id and s.product_id = p.id`,
    where: joined([...conditions, sql`s.workspace_id = ${workspaceId}`], ' and '),
  };
}

/** Two look-ups by index; an OR over both tables would scan the store. */
function carrying(workspaceId: string, code: 'sku' | 'ean', value: string): Statement {
  const column = raw(code);
  return sql`
    select id from products where workspace_id = ${workspaceId} and ${column} = ${value}
    union all
    select product_id from variations where workspace_id = ${workspaceId} and ${column} = ${value}`;
}

function isoOf(time: string): string {
  return new Date(timeOf(time) as number).toISOString();
}
