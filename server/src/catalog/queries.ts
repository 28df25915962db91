import type { Queryable } from '../platform/db.js';
import { isId } from '../platform/ids.js';
import { type PageRequest, pageClauses, pageOf, REACH, type SortKey, sortOf } from '../platform/paging.js';
import { fewOf, type SearchedRow, shortSearch } from '../platform/search.js';
import { listBody } from '../platform/send-json.js';
import { fixed, joined, prepared, raw, type Statement, sql } from '../platform/sql.js';
import { timeOf } from '../platform/times.js';
import { productJson, type VariationRecord, variationColumns } from './records.js';

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
  const { rows, total } =
    (await listFew(db, workspaceId, request)) ?? (await listMany(db, workspaceId, request));
  const { rows: kept, meta } = pageOf(request, rows, request.page === undefined ? undefined : total);
  return listBody(
    kept.map(({ json }) => json),
    meta,
  );
}

interface Listed {
  rows: ListedRow[];
  total: number;
}

interface ListedRow {
  json: Buffer | string;
  id: string;
  sort_value: string | number;
}

/**
 * Walks an index in the order asked for, or collects and sorts: the planner chooses. How common a searched word is
 * decides that, so a search is planned for its word; the rest is planned once.
 */
async function listMany(
  db: Queryable,
  workspaceId: string,
  request: PageRequest<ProductFilters>,
): Promise<Listed> {
  const { from, where } = matching(workspaceId, request.filters);
  const { where: beyond, order } = pageClauses(request, productSorts, 'p');
  const count = sql`select count(*) from (select from ${from} where ${where} limit ${raw(String(REACH + 1))}) counted`;
  const total = request.page === undefined ? raw('null') : sql`(${count})`;
  const page = sql`
    select ${productJson} || '}' as json, p.id, ${sortColumn(request)} as sort_value, ${total} as total
    from ${from} where ${where} ${beyond} ${order}`;
  const planned = request.filters.search ? (statement: Statement) => statement : prepared;
  const rows = await db.query<ListedRow & { total: number }>(planned(page));
  if (rows.length > 0 || request.page === undefined || request.page === 1)
    return { rows, total: rows[0]?.total ?? 0 };
  // A page beyond the end has no row to carry the total.
  const [counted] = await db.query<{ count: number }>(planned(count));
  return { rows, total: counted?.count ?? 0 };
}

/** undefined: a search finds more than a few, or there is none, or its text is too short to look for by index. */
async function listFew(
  db: Queryable,
  workspaceId: string,
  request: PageRequest<ProductFilters>,
): Promise<Listed | undefined> {
  const { search, ...others } = request.filters;
  if (!search) return undefined;
  const statement = shortSearch(request, {
    workspaceId,
    search,
    terms: { table: 'product_search', id: 'product_id' },
    ...matching(workspaceId, others),
    alias: 'p',
    columns: sql`${productJson} || '}' as json, p.id`,
    sorts: productSorts,
  });
  return statement && fewOf(await db.query<ListedRow & SearchedRow>(statement));
}

function sortColumn({ sort }: PageRequest<ProductFilters>): Statement {
  return raw(`p.${sortOf(productSorts, sort).key.column}`);
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
