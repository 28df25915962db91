import { sql } from '../../src/platform/db/sql.js';
import type { Feira, StoreClient } from './feira.js';

export interface ProductRow {
  name: string;
  price?: number;
  quantity?: number;
  createdAt?: string;
  updatedAt?: string;
}

/**
 * Inserts products directly into the table, for tests that need specific times or very many products. Emits no events
 * and adds no search terms.
 */
export async function insertProducts(feira: Feira, store: StoreClient, rows: ProductRow[]): Promise<void> {
  await feira.context.db.store('test').autocommit.query(sql`
    insert into products (workspace_id, id, name, price, quantity, created_at, updated_at)
    select ${store.workspaceId}, new_id(), r.name, coalesce(r.price, 1), coalesce(r.quantity, 0),
      coalesce(r."createdAt", now()), coalesce(r."updatedAt", now())
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as r(name text, price numeric, quantity integer, "createdAt" timestamptz, "updatedAt" timestamptz)`);
}
