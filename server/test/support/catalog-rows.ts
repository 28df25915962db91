import { sql } from '../../src/platform/db/sql.js';
import type { Feira, StoreClient } from './feira.js';

/** Inserts products directly into the tables. Each has two images and, except for every fourth, three variations. */
export async function insertCatalog(feira: Feira, store: StoreClient, count: number): Promise<void> {
  await feira.context.db.store('test').transaction(async (tx) => {
    await tx.query(sql`
      insert into products (workspace_id, id, name, price, quantity, has_variants, created_at)
      select ${store.workspaceId}, new_id(), 'Row ' || n, n % 100, case when n % 4 = 0 then n else 6 end, n % 4 > 0,
        timestamptz '2026-01-01' + make_interval(mins => n % 5000)
      from generate_series(1, ${count}::integer) n`);
    await tx.query(sql`
      insert into variations (workspace_id, product_id, id, position, combination, options, sku, ean, price, quantity)
      select p.workspace_id, p.id, new_id(), n, 'Size "' || n || '"', array['Size "' || n || '"'],
        'S-' || p.name || '-' || n, case when n = 1 then '789' end, 10.5 + n, n
      from products p, generate_series(1, 3) n where p.workspace_id = ${store.workspaceId} and p.has_variants`);
    await tx.query(sql`
      insert into product_images (workspace_id, product_id, id, position, url)
      select p.workspace_id, p.id, new_id(), n, 'https://images.example/' || p.id || '/' || n
      from products p, generate_series(0, 1) n where p.workspace_id = ${store.workspaceId}`);
    await tx.query(sql`
      insert into product_search (workspace_id, product_id, terms)
      select p.workspace_id, p.id, search_terms(variadic array[p.name] || array(
        select v.sku from variations v where v.workspace_id = p.workspace_id and v.product_id = p.id))
      from products p where p.workspace_id = ${store.workspaceId}`);
  });
}
