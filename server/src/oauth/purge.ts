import type { Clock } from '../platform/clock.js';
import { deleteInBatches } from '../platform/db/delete-in-batches.js';
import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';

// Codes and refresh tokens are kept for a week after they expire, so that a second use is still detected. A second use
// of a code revokes its grant. A second use of a refresh token, unless it is a retry within ten minutes with the same
// Idempotency-Key, ends all refresh tokens of its grant.
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

export async function purgeTokens(db: Share, clock: Clock): Promise<void> {
  const now = new Date(clock.now()).toISOString();
  const before = new Date(clock.now() - KEPT_MS).toISOString();
  await deleteInBatches(db, 'oauth_access_tokens', sql`expires_at <= ${now}`);
  await deleteInBatches(db, 'oauth_codes', sql`expires_at <= ${before}`);
  await deleteInBatches(db, 'oauth_refresh_tokens', sql`expires_at <= ${before}`);
  await purgeGrants(db, before);
}

/**
 * Deletes grants that were revoked before the given time, or were created before it and never got tokens, if no code or
 * token refers to them. Active grants are kept even without tokens, because the app's webhooks need them.
 */
async function purgeGrants(db: Share, before: string): Promise<void> {
  await deleteInBatches(
    db,
    'oauth_grants',
    sql`(revoked_at <= ${before} or (connected_at is null and created_at <= ${before}))
      and not exists (select from oauth_access_tokens t where t.workspace_id = oauth_grants.workspace_id and t.grant_id = oauth_grants.id)
      and not exists (select from oauth_refresh_tokens t where t.workspace_id = oauth_grants.workspace_id and t.grant_id = oauth_grants.id)
      and not exists (select from oauth_codes c where c.workspace_id = oauth_grants.workspace_id and c.grant_id = oauth_grants.id)`,
  );
}
