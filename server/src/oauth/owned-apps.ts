import type { Queryable, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { type AppRecord, createApp, findApp, type NewApp } from './apps.js';

/** Apps cannot be deleted, so the limit leaves room for many integrations, each with a test app. */
export const MAX_APPS_PER_ACCOUNT = 50;

/**
 * Registers an app, or returns undefined if the account has the maximum number of apps. The lock serializes
 * registrations of one account. Without it, concurrent registrations could exceed the limit.
 */
export async function registerApp(
  tx: Tx,
  ownerId: string,
  app: Omit<NewApp, 'ownerId'>,
): Promise<{ clientId: string; clientSecret: string } | undefined> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`apps of ${ownerId}`}, 0))`);
  const [owned] = await tx.query<{ apps: number }>(
    sql`select count(*) as apps from apps where owner_id = ${ownerId}`,
  );
  return owned!.apps < MAX_APPS_PER_ACCOUNT ? createApp(tx, { ...app, ownerId }) : undefined;
}

export interface OwnedApp extends AppRecord {
  /** The creation times of the active secrets, newest first. */
  secrets: string[];
  /** The number of connected stores. */
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
