import { randomBytes } from 'node:crypto';
import type { Queryable, Tx } from '../platform/db.js';
import { sql } from '../platform/sql.js';
import { hashOfSecret, newSecret } from './secrets.js';

export interface AppRecord {
  clientId: string;
  name: string;
}

export async function findApp(db: Queryable, clientId: string): Promise<AppRecord | undefined> {
  const [app] = await db.query<AppRecord>(
    sql`select client_id as "clientId", name from apps where client_id = ${clientId}`,
  );
  return app;
}

/** The secret is in the answer and nowhere else; we keep its hash. */
export async function createApp(
  tx: Tx,
  name: string,
  redirectUris: string[],
): Promise<{ clientId: string; clientSecret: string }> {
  const clientId = `app_${randomBytes(12).toString('hex')}`;
  const clientSecret = newSecret('client');
  await tx.query(sql`
    with app as (
      insert into apps (client_id, name, redirect_uris) values (${clientId}, ${name}, ${redirectUris}) returning client_id
    )
    insert into app_secrets (client_id, secret_hash) select client_id, ${hashOfSecret(clientSecret)} from app`);
  return { clientId, clientSecret };
}
