import { coverOfProduct } from '../media/queries.js';
import type { Queryable } from '../platform/db/share.js';
import { fixed, joined, sql } from '../platform/db/sql.js';
import type { ListMemory } from '../platform/lists/list-memory.js';
import { byTime, REACH, type SortKey } from '../platform/lists/paging.js';
import { searchablePage } from '../platform/lists/search.js';
import type { Category } from './categories.js';
import type { ProductListRequest, ShopSort } from './product-list-request.js';

const PER_PAGE = 24;
const LAST_PAGE = Math.floor(REACH / PER_PAGE);

export interface ListedProduct {
  id: string;
  name: string;
  cover: string | null;
  /** The price of the product, or the lowest price of its variations, with the promotion. */
  price: number;
  /** The same price without the promotion. */
  listPrice: number;
  /** The price of the product, or the highest price of its variations, with the promotion. */
  highest: number;
  stock: number;
}

export interface ProductList {
  items: ListedProduct[];
  /** At most 10,000. */
  total: number;
  /** Whether more than 10,000 products match. */
  isCapped: boolean;
  pages: number;
}

const SORTS: Record<string, SortKey> = {
  createdAt: byTime('created_at'),
  price: { column: 'shown_price', cast: 'numeric', isValue: (value) => typeof value === 'number' },
  name: { column: 'name_sort', cast: 'text collate "C"', isValue: (value) => typeof value === 'string' },
};
const SORT_OF: Record<ShopSort, string> = {
  newest: '-createdAt',
  price: 'price',
  '-price': '-price',
  name: 'name',
};

/** Uses the same expression as the index products_by_shown_price, so that PostgreSQL can use the index. */
const PRODUCTS = sql`(
  select *, least(coalesce(variations_from, price), price_discount) as shown_price from products) p`;

export async function listShopProducts(
  db: Queryable,
  memory: ListMemory,
  workspaceId: string,
  mediaUrl: string,
  asked: ProductListRequest,
  category: Category | undefined,
): Promise<ProductList> {
  const { sort, inStock, min, max } = asked;
  const conditions = [sql`p.workspace_id = ${workspaceId}`];
  if (category) conditions.push(sql`p.category_id = any(${category.ids}::integer[])`);
  if (inStock) conditions.push(sql`p.quantity > 0`);
  if (min !== undefined) conditions.push(sql`p.shown_price >= ${min}::numeric`);
  if (max !== undefined) conditions.push(sql`p.shown_price <= ${max}::numeric`);
  const request = {
    list: 'storefront',
    limit: PER_PAGE,
    page: Math.min(asked.page, LAST_PAGE),
    sort: SORT_OF[sort],
    filters: filtersOf(asked),
    after: undefined,
  };
  const { json, total = 0 } = await searchablePage(db, request, {
    workspaceId,
    from: PRODUCTS,
    alias: 'p',
    where: joined(conditions, ' and '),
    json: sql`'"' || p.id || '"'`,
    sorts: SORTS,
    terms: { table: 'product_search', id: 'product_id' },
    // With a price range or a stock filter, the best plan depends on how many products match.
    plannedOnce: !inStock && min === undefined && max === undefined,
    kept: { list: 'products', memory, stableSorts: ['createdAt'] },
    shortSearchesMatchPrefixes: true,
  });
  const ids = JSON.parse(`[${json}]`) as string[];
  const items = await db.query<ListedProduct>(itemsById(workspaceId, ids, mediaUrl));
  const reached = Math.min(total, REACH);
  const pages = Math.min(LAST_PAGE, Math.max(1, Math.ceil(reached / PER_PAGE)));
  return { items, total: reached, isCapped: total > REACH, pages };
}

/**
 * Filters that are not set are left out, so that a search without other filters is recognized as such and its matches
 * are counted faster.
 */
function filtersOf({ search, category, inStock, min, max }: ProductListRequest) {
  return {
    search,
    ...(category !== undefined && { category }),
    ...(inStock && { inStock }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
  };
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
