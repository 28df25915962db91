import type { Queryable } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';

export interface Category {
  id: number;
  parentId: number | null;
  /** Its own id and those of its subcategories. */
  ids: number[];
  /** Whether the store has products in it or in one of its subcategories. */
  isUsed: boolean;
}

/**
 * All categories. Those of the store are found by skipping through the index from one category to the next, so the work
 * depends on the number of used categories and not on that of products.
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
