import { hash } from 'node:crypto';
import type { Clock } from '../platform/clock.js';
import type { Database, Tx } from '../platform/db.js';
import { sql } from '../platform/sql.js';
import type { Credentials } from './credentials.js';
import { endRefreshFamily, revokeGrant } from './revocation.js';
import type { Scope } from './scopes.js';
import { hashOfSecret, isSecret } from './secrets.js';
import { invalidGrant, type TokenError } from './token-errors.js';
import { issueTokens, type TokenResponse } from './tokens.js';

// An exchange is one transaction: the credential is locked together with its grant, judged, consumed, and the new pair
// issued. Of any number of parallel exchanges one gets the lock first; the others then see it consumed. A refusal is
// returned and not thrown, because a revocation that comes with it must commit.

type Outcome = TokenResponse | TokenError;

export async function exchangeCode(
  db: Database,
  clock: Clock,
  credentials: Credentials,
  clientId: string,
  sent: { code: string; redirectUri: string; verifier: string },
): Promise<Outcome> {
  if (!isSecret('code', sent.code)) return invalidGrant('the code is not valid');
  const codeHash = hashOfSecret(sent.code);
  let revokedIn: string | undefined;
  const outcome = await db.transaction<Outcome>(async (tx) => {
    const [code] = await tx.query<CodeRow>(sql`
      select c.workspace_id, c.grant_id, c.redirect_uri, c.code_challenge, c.expires_at, c.consumed_at,
             g.client_id, g.scopes, g.revoked_at
      from oauth_codes c join oauth_grants g on g.workspace_id = c.workspace_id and g.id = c.grant_id
      where c.code_hash = ${codeHash} for update of c, g`);
    if (!code || code.client_id !== clientId) return invalidGrant('the code is not valid');
    if (code.consumed_at !== null) {
      await revokeGrant(tx, code.workspace_id, code.grant_id);
      revokedIn = code.workspace_id;
      return invalidGrant('the code was used before; what it led to is revoked');
    }
    if (Date.parse(code.expires_at) <= clock.now()) return invalidGrant('the code has expired');
    if (code.revoked_at !== null) return invalidGrant('the merchant has disconnected the app');
    if (code.redirect_uri !== sent.redirectUri)
      return invalidGrant('redirect_uri is not the one of the authorization');
    if (!isVerifierOf(code.code_challenge, sent.verifier))
      return invalidGrant('code_verifier does not fit the code_challenge');
    await tx.query(sql`update oauth_codes set consumed_at = now() where code_hash = ${codeHash}`);
    return issueTokens(tx, clock, code.workspace_id, code.grant_id, code.scopes);
  });
  if (revokedIn !== undefined) credentials.forget(revokedIn, clientId);
  return outcome;
}

export async function exchangeRefreshToken(
  db: Database,
  clock: Clock,
  clientId: string,
  token: string,
): Promise<Outcome> {
  if (!isSecret('refresh', token)) return invalidGrant('the refresh token is not valid');
  const tokenHash = hashOfSecret(token);
  return db.transaction(async (tx) => {
    const found = await lockRefreshToken(tx, tokenHash);
    if (!found || found.client_id !== clientId) return invalidGrant('the refresh token is not valid');
    if (found.consumed_at !== null) {
      await endRefreshFamily(tx, found.workspace_id, found.grant_id);
      return invalidGrant('the refresh token was used before; the merchant must authorize the app again');
    }
    if (Date.parse(found.expires_at) <= clock.now()) return invalidGrant('the refresh token has expired');
    if (found.revoked_at !== null || found.refresh_revoked_at !== null) {
      return invalidGrant('the authorization has ended; the merchant must authorize the app again');
    }
    await tx.query(sql`update oauth_refresh_tokens set consumed_at = now() where token_hash = ${tokenHash}`);
    return issueTokens(tx, clock, found.workspace_id, found.grant_id, found.scopes);
  });
}

async function lockRefreshToken(tx: Tx, tokenHash: Buffer): Promise<RefreshRow | undefined> {
  const [row] = await tx.query<RefreshRow>(sql`
    select t.workspace_id, t.grant_id, t.expires_at, t.consumed_at, g.client_id, g.scopes, g.revoked_at, g.refresh_revoked_at
    from oauth_refresh_tokens t join oauth_grants g on g.workspace_id = t.workspace_id and g.id = t.grant_id
    where t.token_hash = ${tokenHash} for update of t, g`);
  return row;
}

/** 43 to 128 characters of the base64url alphabet: RFC 7636 without its full stop and tilde. */
function isVerifierOf(challenge: string, verifier: string): boolean {
  return /^[A-Za-z0-9_-]{43,128}$/.test(verifier) && hash('sha256', verifier, 'base64url') === challenge;
}

interface GrantRow {
  workspace_id: string;
  grant_id: string;
  client_id: string;
  scopes: Scope[];
  revoked_at: string | null;
}

interface CodeRow extends GrantRow {
  redirect_uri: string;
  code_challenge: string;
  expires_at: string;
  consumed_at: string | null;
}

interface RefreshRow extends GrantRow {
  expires_at: string;
  consumed_at: string | null;
  refresh_revoked_at: string | null;
}
