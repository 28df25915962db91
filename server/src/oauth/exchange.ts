import { hash } from 'node:crypto';
import type { Clock } from '../platform/clock.js';
import type { Share, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import type { Credentials } from './credentials.js';
import type { RefreshAnswers } from './refresh-answers.js';
import { countRefresh } from './refresh-limit.js';
import { endRefreshFamily, revokeGrant } from './revocation.js';
import type { Scope } from './scopes.js';
import { hashOfSecret, isSecret } from './secrets.js';
import { invalidGrant, invalidRequest, type TokenError, type TooManyRefreshes } from './token-errors.js';
import { issueTokens, type TokenResponse } from './tokens.js';

// An exchange is one transaction: it locks the code or refresh token together with its grant, checks it, marks it as
// used and issues the new tokens. Of several parallel exchanges, one gets the lock first, and the others then find the
// code or token used. Rejections are returned and not thrown, because the revocation that some of them cause must be
// committed.

type Outcome = TokenResponse | TokenError | TooManyRefreshes;

export async function exchangeCode(
  db: Share,
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
      return invalidGrant('the code was already used; the tokens issued for it are revoked');
    }
    if (Date.parse(code.expires_at) <= clock.now()) return invalidGrant('the code has expired');
    if (code.revoked_at !== null) return invalidGrant('the merchant has disconnected the app');
    if (code.redirect_uri !== sent.redirectUri)
      return invalidGrant('redirect_uri differs from that of the authorization request');
    if (!VERIFIER.test(sent.verifier))
      return invalidGrant(
        'code_verifier must be 43 to 128 characters: letters, digits, hyphen, full stop, underscore and tilde',
      );
    if (hash('sha256', sent.verifier, 'base64url') !== code.code_challenge)
      return invalidGrant('code_verifier does not match the code_challenge');
    await tx.query(sql`update oauth_codes set consumed_at = now() where code_hash = ${codeHash}`);
    return issueTokens(tx, clock, code.workspace_id, code.grant_id, code.scopes);
  });
  if (revokedIn !== undefined) credentials.forget(revokedIn, clientId);
  return outcome;
}

export async function exchangeRefreshToken(
  db: Share,
  clock: Clock,
  answers: RefreshAnswers,
  clientId: string,
  sent: { refreshToken: string; scope: string | undefined; key: string | undefined },
): Promise<Outcome> {
  if (!isSecret('refresh', sent.refreshToken)) return invalidGrant('the refresh token is not valid');
  const tokenHash = hashOfSecret(sent.refreshToken);
  return db.transaction(async (tx) => {
    const found = await lockRefreshToken(tx, tokenHash);
    if (!found || found.client_id !== clientId) return invalidGrant('the refresh token is not valid');
    const hasEnded = found.revoked_at !== null || found.refresh_revoked_at !== null;
    const keyed =
      sent.key === undefined ? undefined : { workspaceId: found.workspace_id, tokenHash, key: sent.key };
    if (found.consumed_at !== null) {
      const answer = keyed && !hasEnded ? await answers.find(tx, keyed) : undefined;
      if (answer) return answer.scope === sent.scope ? answer.tokens : OTHER_SCOPE;
      await endRefreshFamily(tx, found.workspace_id, found.grant_id);
      return invalidGrant('the refresh token was already used; the merchant must authorize the app again');
    }
    if (Date.parse(found.expires_at) <= clock.now()) return invalidGrant('the refresh token has expired');
    if (hasEnded)
      return invalidGrant('the authorization was revoked; the merchant must authorize the app again');
    const scopes = narrowed(found.scopes, sent.scope);
    if (!scopes) return SCOPE_NOT_GRANTED;
    const tooMany = await countRefresh(tx, clock, found);
    if (tooMany) return tooMany;
    await tx.query(sql`update oauth_refresh_tokens set consumed_at = now() where token_hash = ${tokenHash}`);
    const tokens = await issueTokens(tx, clock, found.workspace_id, found.grant_id, scopes);
    if (keyed) await answers.keep(tx, keyed, { scope: sent.scope, tokens });
    return tokens;
  });
}

const OTHER_SCOPE = invalidRequest(
  'this Idempotency-Key was used with another scope; repeat the request with the original scope',
);

const SCOPE_NOT_GRANTED: TokenError = {
  error: 'invalid_scope',
  error_description: 'scope must contain only granted scopes, separated by spaces',
};

/**
 * RFC 6749, section 6: without scope, the new access token has all granted scopes, even if the previous one had fewer.
 * Returns undefined if a requested scope was not granted, or if `asked` is blank.
 */
function narrowed(granted: Scope[], asked: string | undefined): Scope[] | undefined {
  if (asked === undefined) return granted;
  const names = asked.split(' ').filter(Boolean);
  const known: readonly string[] = granted;
  if (names.length === 0 || !names.every((name) => known.includes(name))) return undefined;
  return granted.filter((scope) => names.includes(scope));
}

async function lockRefreshToken(tx: Tx, tokenHash: Buffer): Promise<RefreshRow | undefined> {
  const [row] = await tx.query<RefreshRow>(sql`
    select t.workspace_id, t.grant_id, t.expires_at, t.consumed_at, g.client_id, g.scopes, g.revoked_at,
           g.refresh_revoked_at, g.refreshes_since, g.refreshes
    from oauth_refresh_tokens t join oauth_grants g on g.workspace_id = t.workspace_id and g.id = t.grant_id
    where t.token_hash = ${tokenHash} for update of t, g`);
  return row;
}

/** The format of a PKCE verifier (RFC 7636, 4.1). */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

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
  refreshes_since: string | null;
  refreshes: number;
}
