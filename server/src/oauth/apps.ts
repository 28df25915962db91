import { randomBytes } from 'node:crypto';
import type { Queryable, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { hashOfSecret, isSecret, newSecret } from './secrets.js';

export interface AppRecord {
  clientId: string;
  name: string;
  contact: string | null;
  redirectUris: string[];
  createdAt: string;
}

export interface NewApp {
  name: string;
  redirectUris: string[];
  contact?: string | undefined;
  ownerId?: string | undefined;
}

/** Two secrets may be active, so that a new one can be deployed everywhere before the old one is revoked. */
const MAX_ACTIVE_SECRETS = 2;
const CLIENT_ID = /^app_[0-9a-f]{24}$/;

/**
 * The format is checked before the query, because PostgreSQL would fail on a NUL byte. An id with another format is
 * treated as unknown.
 */
export async function findApp(db: Queryable, clientId: string): Promise<AppRecord | undefined> {
  if (!CLIENT_ID.test(clientId)) return undefined;
  const [app] = await db.query<AppRecord>(sql`
    select client_id as "clientId", name, contact, redirect_uris as "redirectUris", created_at as "createdAt"
    from apps where client_id = ${clientId}`);
  return app;
}

/** Lists all apps of the platform, for the operator. */
export async function listApps(db: Queryable): Promise<AppRecord[]> {
  return db.query<AppRecord>(sql`
    select client_id as "clientId", name, contact, redirect_uris as "redirectUris", created_at as "createdAt"
    from apps order by created_at, client_id`);
}

export async function isAppSecret(db: Queryable, clientId: string, secret: string): Promise<boolean> {
  if (!CLIENT_ID.test(clientId) || !isSecret('client', secret)) return false;
  const found = await db.query(sql`
    select 1 from app_secrets where client_id = ${clientId} and secret_hash = ${hashOfSecret(secret)}`);
  return found.length > 0;
}

/** Returns the only copy of the secret, because only its hash is stored. */
export async function createApp(tx: Tx, app: NewApp): Promise<{ clientId: string; clientSecret: string }> {
  const clientId = `app_${randomBytes(12).toString('hex')}`;
  const clientSecret = newSecret('client');
  await tx.query(sql`
    with app as (
      insert into apps (client_id, name, redirect_uris, contact, owner_id)
      values (${clientId}, ${app.name}, ${app.redirectUris}, ${app.contact ?? null}, ${app.ownerId ?? null})
      returning client_id
    )
    insert into app_secrets (client_id, secret_hash) select client_id, ${hashOfSecret(clientSecret)} from app`);
  return { clientId, clientSecret };
}

export async function updateApp(
  tx: Tx,
  clientId: string,
  change: Required<Pick<NewApp, 'name' | 'redirectUris' | 'contact'>>,
): Promise<void> {
  await tx.query(sql`
    update apps set name = ${change.name}, redirect_uris = ${change.redirectUris}, contact = ${change.contact ?? null}
    where client_id = ${clientId}`);
}

/** Adds a secret. If more than two would be active, the oldest is revoked. */
export async function rotateSecret(tx: Tx, clientId: string): Promise<string> {
  const secret = newSecret('client');
  await tx.query(sql`select from apps where client_id = ${clientId} for update`);
  await tx.query(sql`
    delete from app_secrets where client_id = ${clientId} and secret_hash not in (
      select secret_hash from app_secrets where client_id = ${clientId}
      order by created_at desc, secret_hash limit ${MAX_ACTIVE_SECRETS - 1})`);
  await tx.query(
    sql`insert into app_secrets (client_id, secret_hash) values (${clientId}, ${hashOfSecret(secret)})`,
  );
  return secret;
}

/** Completes a rotation: revokes all secrets but the newest. */
export async function revokeOldSecrets(tx: Tx, clientId: string): Promise<void> {
  await tx.query(sql`
    delete from app_secrets where client_id = ${clientId} and secret_hash not in (
      select secret_hash from app_secrets where client_id = ${clientId} order by created_at desc, secret_hash limit 1)`);
}
