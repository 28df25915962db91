import type { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { newId } from '../platform/schema/ids.js';
import type { Scope } from './scopes.js';
import { hashOfSecret, newSecret } from './secrets.js';

/**
 * Token exchanges, refreshes and revocations have their own share of the database connections: at most
 * TOKENS_CONNECTIONS.
 */
export const TOKENS = 'tokens';
export const TOKENS_CONNECTIONS = 5;

const CODE_SECONDS = 600;
const ACCESS_TOKEN_SECONDS = 7_200;
const REFRESH_TOKEN_SECONDS = 30 * 24 * 60 * 60;

/** The response of the token endpoint. */
export interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  refresh_token: string;
  scope: string;
}

export interface Grant {
  workspaceId: string;
  clientId: string;
  userId: string | null;
  scopes: Scope[];
}

/**
 * Records an approval by a merchant or, if `userId` is null, by the operator. Every code and token belongs to one
 * grant.
 */
export async function createGrant(tx: Tx, grant: Grant): Promise<string> {
  const id = newId();
  await tx.query(sql`
    insert into oauth_grants (workspace_id, id, client_id, user_id, scopes)
    values (${grant.workspaceId}, ${id}, ${grant.clientId}, ${grant.userId}, ${grant.scopes})`);
  return id;
}

export async function issueCode(
  tx: Tx,
  clock: Clock,
  grant: { workspaceId: string; grantId: string },
  request: { redirectUri: string; codeChallenge: string },
): Promise<string> {
  const code = newSecret('code');
  await tx.query(sql`
    insert into oauth_codes (code_hash, workspace_id, grant_id, redirect_uri, code_challenge, expires_at)
    values (${hashOfSecret(code)}, ${grant.workspaceId}, ${grant.grantId}, ${request.redirectUri}, ${request.codeChallenge},
            ${expiry(clock, CODE_SECONDS)})`);
  return code;
}

/**
 * Issues a token pair for a grant. The first pair connects the app. `scopes` are those of the access token: all scopes
 * of the grant, or fewer.
 */
export async function issueTokens(
  tx: Tx,
  clock: Clock,
  workspaceId: string,
  grantId: string,
  scopes: Scope[],
): Promise<TokenResponse> {
  const access = newSecret('access');
  const refresh = newSecret('refresh');
  await tx.query(sql`
    with access as (
      insert into oauth_access_tokens (token_hash, workspace_id, grant_id, expires_at, scopes)
      values (${hashOfSecret(access)}, ${workspaceId}, ${grantId}, ${expiry(clock, ACCESS_TOKEN_SECONDS)}, ${scopes})
    ),
    refresh as (
      insert into oauth_refresh_tokens (token_hash, workspace_id, grant_id, expires_at)
      values (${hashOfSecret(refresh)}, ${workspaceId}, ${grantId}, ${expiry(clock, REFRESH_TOKEN_SECONDS)})
    )
    update oauth_grants set connected_at = now()
    where workspace_id = ${workspaceId} and id = ${grantId} and connected_at is null`);
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    refresh_token: refresh,
    scope: scopes.join(' '),
  };
}

function expiry(clock: Clock, seconds: number): string {
  return new Date(clock.now() + seconds * 1000).toISOString();
}
