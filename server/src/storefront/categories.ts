import type { Queryable } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';

export interface Category {
  id: number;
  parentId: number | null;
  /** The id of this category and those of its subcategories. */
  ids: number[];
  /** Whether the store has products in this category or in one of its subcategories. */
  isUsed: boolean;
}

/**
 * Returns all categories. Those that the store uses are found by skipping from one category to the next in the index,
 * so the cost depends on the number of used categories and not on the number of products.
 */
export async function categoriesOfShop(db: Queryable, workspaceId: string): Promise<Category[]> {
  const all = await db.query<{ id: number; parentId: number | null; used: boolean }>(sql`
    with recursive used(id) as (
      (select category_id from products where workspace_id = ${workspaceId} order by category_id limit 1)
      union all
      select (select p.category_id from products p where p.workspace_id = ${workspaceId} and p.category_id > used.id
              order by p.category_id limit 1) from used where used.id is not null
    )
    select c.id, c.parent_id as "parentId", c.id in (select id from used) as used from categories c order by c.id`);
  return all.map(({ id, parentId, used }) => {
    const below = all.filter((other) => other.parentId === id);
    return {
      id,
      parentId,
      ids: [id, ...below.map((child) => child.id)],
      isUsed: used || below.some((child) => child.used),
    };
  });
}
