import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { CREDENTIAL_CHANNEL } from './credentials.js';

/** Revokes all tokens issued for one approval and notifies every process. */
export async function revokeGrant(tx: Tx, workspaceId: string, grantId: string): Promise<void> {
  await tx.query(sql`
    with revoked as (
      update oauth_grants set revoked_at = now()
      where workspace_id = ${workspaceId} and id = ${grantId} and revoked_at is null returning client_id
    )
    select pg_notify(${CREDENTIAL_CHANNEL}, ${workspaceId} || ' ' || client_id) from revoked`);
}

/** Disconnects an app: revokes all its grants for the store. */
export async function disconnectApp(tx: Tx, workspaceId: string, clientId: string): Promise<void> {
  await tx.query(sql`
    with revoked as (
      update oauth_grants set revoked_at = now()
      where workspace_id = ${workspaceId} and client_id = ${clientId} and revoked_at is null returning client_id
    )
    select pg_notify(${CREDENTIAL_CHANNEL}, ${workspaceId} || ' ' || client_id) from revoked limit 1`);
}

/**
 * Ends all refresh tokens of a grant. Its access tokens expire on their own. Called when a used refresh token is sent
 * again and RefreshAnswers has no response to repeat: the token may have been stolen.
 */
export async function endRefreshFamily(tx: Tx, workspaceId: string, grantId: string): Promise<void> {
  await tx.query(sql`
    update oauth_grants set refresh_revoked_at = now()
    where workspace_id = ${workspaceId} and id = ${grantId} and refresh_revoked_at is null`);
}

export async function revokeAccessToken(tx: Tx, tokenHash: Buffer): Promise<void> {
  await tx.query(sql`
    with gone as (delete from oauth_access_tokens where token_hash = ${tokenHash} returning workspace_id, grant_id)
    select pg_notify(${CREDENTIAL_CHANNEL}, g.workspace_id || ' ' || g.client_id)
    from gone join oauth_grants g on g.workspace_id = gone.workspace_id and g.id = gone.grant_id`);
}
