import type { Queryable } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { LOST_UNTIL_FAILING } from './subscriptions.js';

/** Returns the apps of a store that have failing subscriptions, to show them to the merchant. */
export async function failingAppsOf(db: Queryable, workspaceId: string): Promise<Set<string>> {
  const rows = await db.query<{ client_id: string }>(sql`
    select distinct client_id from webhooks where workspace_id = ${workspaceId} and lost_in_a_row >= ${LOST_UNTIL_FAILING}`);
  return new Set(rows.map((row) => row.client_id));
}

/** Returns the failing URLs of an app across all stores, to show them to the integrator. */
export async function failingUrlsOf(
  db: Queryable,
  clientId: string,
): Promise<{ url: string; stores: number }[]> {
  return db.query(sql`
    select url, count(distinct workspace_id) as stores from webhooks
    where client_id = ${clientId} and lost_in_a_row >= ${LOST_UNTIL_FAILING} group by url order by url`);
}
