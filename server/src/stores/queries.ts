import type { Queryable } from '../platform/db.js';
import { sql } from '../platform/sql.js';

export interface StoreRecord {
  workspaceId: string;
  name: string;
  email: string;
  document: string | null;
  domain: string | null;
  currency: string;
  timezone: string;
}

export async function findStore(db: Queryable, workspaceId: string): Promise<StoreRecord | undefined> {
  const [store] = await db.query<StoreRecord>(sql`
    select id as "workspaceId", name, email, document, domain, 'BRL' as currency, timezone
    from workspaces where id = ${workspaceId}`);
  return store;
}
