import type { Queryable } from '../platform/db.js';
import { sql } from '../platform/sql.js';
import { type AppRecord, findApp } from './apps.js';

export interface OwnedApp extends AppRecord {
  /** When each live secret was made, newest first. */
  secrets: string[];
  /** Stores that are connected to it now. */
  stores: number;
}

export async function appsOwnedBy(db: Queryable, ownerId: string): Promise<AppRecord[]> {
  return db.query<AppRecord>(sql`
    select client_id as "clientId", name, contact, redirect_uris as "redirectUris", created_at as "createdAt"
    from apps where owner_id = ${ownerId} order by created_at desc, client_id`);
}

export async function findOwnedApp(
  db: Queryable,
  ownerId: string,
  clientId: string,
): Promise<OwnedApp | undefined> {
  const app = await findApp(db, clientId);
  if (!app) return undefined;
  const [owned] = await db.query<{ secrets: string[]; stores: number }>(sql`
    select
      array(select to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') from app_secrets s
            where s.client_id = a.client_id order by s.created_at desc) as secrets,
      (select count(distinct g.workspace_id) from oauth_grants g
       where g.client_id = a.client_id and g.connected_at is not null and g.revoked_at is null) as stores
    from apps a where a.client_id = ${clientId} and a.owner_id = ${ownerId}`);
  return owned && { ...app, ...owned };
}
