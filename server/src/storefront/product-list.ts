import { coverOfProduct } from '../media/queries.js';
import type { Queryable } from '../platform/db/share.js';
import { fixed, joined, sql } from '../platform/db/sql.js';
import type { ListMemory } from '../platform/lists/list-memory.js';
import { byTime, REACH } from '../platform/lists/paging.js';
import { searchablePage } from '../platform/lists/search.js';

const PER_PAGE = 24;
const LAST_PAGE = Math.floor(REACH / PER_PAGE);

export interface ProductListRequest {
  search: string;
  category: Category | undefined;
  page: number;
}

export interface ListedProduct {
  id: string;
  name: string;
  cover: string | null;
  /** The lowest price of its variations, with and without the promotion. */
  price: number;
  listPrice: number;
  /** The highest price of its variations. */
  highest: number;
  stock: number;
}

export interface ProductList {
  items: ListedProduct[];
  total: number;
  pages: number;
}

export interface Category {
  id: number;
  parentId: number | null;
  /** Its own id and those of its subcategories. */
  ids: number[];
}

/** Lists products, newest first. */
export async function listShopProducts(
  db: Queryable,
  memory: ListMemory,
  workspaceId: string,
  mediaUrl: string,
  { search, category, page }: ProductListRequest,
): Promise<ProductList> {
  const conditions = [sql`p.workspace_id = ${workspaceId}`];
  if (category) conditions.push(sql`p.category_id = any(${category.ids}::integer[])`);
  const request = {
    list: 'storefront',
    limit: PER_PAGE,
    page: Math.min(page, LAST_PAGE),
    sort: '-createdAt',
    filters: { search, ...(category && { category }) },
    after: undefined,
  };
  const { json, total = 0 } = await searchablePage(db, request, {
    workspaceId,
    from: sql`products p`,
    alias: 'p',
    where: joined(conditions, ' and '),
    json: sql`'"' || p.id || '"'`,
    sorts: { createdAt: byTime('created_at') },
    terms: { table: 'product_search', id: 'product_id' },
    plannedOnce: true,
    kept: { list: 'products', memory, stableSorts: ['createdAt'] },
    shortSearchesMatchPrefixes: true,
  });
  const ids = JSON.parse(`[${json}]`) as string[];
  const items = await db.query<ListedProduct>(itemsById(workspaceId, ids, mediaUrl));
  const reached = Math.min(total, REACH);
  return { items, total: reached, pages: Math.min(LAST_PAGE, Math.max(1, Math.ceil(reached / PER_PAGE))) };
}

const itemsById = fixed(
  (workspaceId: string, ids: string[], mediaUrl: string) => sql`
    select p.id, p.name, p.quantity as stock, ${coverOfProduct(mediaUrl)} as cover,
      least(coalesce(v.low, p.price), p.price_discount) as price, coalesce(v.low, p.price) as "listPrice",
      least(coalesce(v.high, p.price), p.price_discount) as highest
    from unnest((select ${ids}::uuid[])) with ordinality as listed(id, place)
    join products p on p.workspace_id = ${workspaceId} and p.id = listed.id
    left join lateral (
      select min(price) as low, max(price) as high from variations
      where workspace_id = p.workspace_id and product_id = p.id
    ) v on p.has_variants
    order by listed.place`,
);

/**
 * Returns the categories with products of this store, and their parent categories. It takes one index lookup per
 * category.
 */
export async function categoriesOnSale(db: Queryable, workspaceId: string): Promise<Category[]> {
  const all = await db.query<{ id: number; parentId: number | null; used: boolean }>(sql`
    select c.id, c.parent_id as "parentId", exists (
      select from products p where p.workspace_id = ${workspaceId} and p.category_id = c.id) as used
    from categories c order by c.id`);
  return all
    .map((category) => ({ ...category, below: all.filter(({ parentId }) => parentId === category.id) }))
    .filter(({ used, below }) => used || below.some((child) => child.used))
    .map(({ id, parentId, below }) => ({ id, parentId, ids: [id, ...below.map((child) => child.id)] }));
}
