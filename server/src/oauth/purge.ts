import type { Clock } from '../platform/clock.js';
import { deleteInBatches } from '../platform/db/delete-in-batches.js';
import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';

// Kept for a while after their end: a code or refresh token that is used again must be recognised as used, so that the
// thief's session ends with it.
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
 * Grants that were revoked, and approvals that the app never exchanged, once none of their tokens is left. A grant that
 * is neither stays for good, also without tokens: it is what entitles the app to its webhooks.
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
