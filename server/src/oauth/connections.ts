import type { Queryable } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import type { Scope } from './scopes.js';

/** An app as the merchant of a store sees it, with all its active grants combined. */
export interface ConnectedApp {
  clientId: string;
  name: string;
  scopes: Scope[];
  connectedAt: string;
  lastUsedAt: string | null;
}

export async function listConnectedApps(db: Queryable, workspaceId: string): Promise<ConnectedApp[]> {
  return db.query<ConnectedApp>(sql`
    select a.client_id as "clientId", a.name, min(g.connected_at) as "connectedAt", max(g.last_used_at) as "lastUsedAt",
      array(select distinct scope from oauth_grants each, unnest(each.scopes) scope
            where each.workspace_id = ${workspaceId} and each.client_id = a.client_id
              and each.connected_at is not null and each.revoked_at is null order by scope) as scopes
    from oauth_grants g join apps a on a.client_id = g.client_id
    where g.workspace_id = ${workspaceId} and g.connected_at is not null and g.revoked_at is null
    group by a.client_id, a.name order by a.name, a.client_id`);
}
