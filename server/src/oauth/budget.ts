import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { CREDENTIAL_CHANNEL } from './credentials.js';

/** Sets the rate limit of an app for a store, and notifies every process, so that none uses a cached old limit. */
export async function setBudget(
  tx: Tx,
  workspaceId: string,
  clientId: string,
  perMinute: number,
): Promise<void> {
  await tx.query(sql`
    with stored as (
      insert into budgets (workspace_id, client_id, per_minute) values (${workspaceId}, ${clientId}, ${perMinute})
      on conflict (workspace_id, client_id) do update set per_minute = excluded.per_minute
    )
    select pg_notify(${CREDENTIAL_CHANNEL}, ${`${workspaceId} ${clientId}`})`);
}
