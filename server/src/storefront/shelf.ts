import { coverOfProduct } from '../media/queries.js';
import type { Queryable } from '../platform/db.js';
import { REACH } from '../platform/paging.js';
import { joined, prepared, type Statement, sql } from '../platform/sql.js';

export const PER_PAGE = 24;
const LAST_PAGE = Math.floor(REACH / PER_PAGE);

export interface ShelfRequest {
  search: string;
  category: Category | undefined;
  page: number;
}

export interface ShelfItem {
  id: string;
  name: string;
  cover: string | null;
  /** The lowest price there is to pay for it, and what it would be without a promotion. */
  price: number;
  listPrice: number;
  /** Of its dearest variation. */
  highest: number;
  stock: number;
}

export interface Shelf {
  items: ShelfItem[];
  total: number;
  pages: number;
}

export interface Category {
  id: number;
  parentId: number | null;
  /** Its own id and those below it. */
  ids: number[];
}

/** Newest first. */
export async function readShelf(
  db: Queryable,
  workspaceId: string,
  mediaUrl: string,
  { search, category, page }: ShelfRequest,
): Promise<Shelf> {
  const { from, where } = matching(workspaceId, search, category);
  const skip = (Math.min(page, LAST_PAGE) - 1) * PER_PAGE;
  const rows = sql`
    select p.id, p.name, p.quantity as stock, ${coverOfProduct(mediaUrl)} as cover,
      least(coalesce(v.low, p.price), p.price_discount) as price, coalesce(v.low, p.price) as "listPrice",
      least(coalesce(v.high, p.price), p.price_discount) as highest
    from ${from} left join lateral (
      select min(price) as low, max(price) as high from variations
      where workspace_id = p.workspace_id and product_id = p.id
    ) v on p.has_variants
    where ${where} order by p.created_at desc, p.id desc limit ${PER_PAGE}::integer offset ${skip}::integer`;
  const count = sql`select count(*) as total from (select from ${from} where ${where} limit ${REACH}::integer) counted`;
  const planned = search === '' ? prepared : (statement: Statement) => statement;
  const [items, [counted]] = await Promise.all([
    db.query<ShelfItem>(planned(rows)),
    db.query<{ total: number }>(planned(count)),
  ]);
  const total = counted?.total ?? 0;
  return { items, total, pages: Math.min(LAST_PAGE, Math.max(1, Math.ceil(total / PER_PAGE))) };
}

/** The categories that hold something of this store, and those above them. One look into the index for each. */
export async function categoriesOnSale(db: Queryable, workspaceId: string): Promise<Category[]> {
  const all = await db.query<{ id: number; parentId: number | null; used: boolean }>(sql`
    select c.id, c.parent_id as "parentId", exists (
      select from products p where p.workspace_id = ${workspaceId} and p.category_id = c.id) as used
    from categories c order by c.id`);
  return all
    .map((each) => ({ ...each, below: all.filter(({ parentId }) => parentId === each.id) }))
    .filter(({ used, below }) => used || below.some((child) => child.used))
    .map(({ id, parentId, below }) => ({ id, parentId, ids: [id, ...below.map((child) => child.id)] }));
}

function matching(
  workspaceId: string,
  search: string,
  category: Category | undefined,
): { from: Statement; where: Statement } {
  const conditions = [sql`p.workspace_id = ${workspaceId}`];
  if (category) conditions.push(sql`p.category_id = any(${category.ids}::integer[])`);
  if (search === '') return { from: sql`products p`, where: joined(conditions, ' and ') };
  conditions.push(sql`s.workspace_id = ${workspaceId}`, sql`s.terms like search_pattern(${search})`);
  return {
    from: sql`products p join product_search s on s.workspace_id = p.workspace_id and s.product_id = p.id`,
    where: joined(conditions, ' and '),
  };
}
