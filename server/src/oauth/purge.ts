import type { Clock } from '../platform/clock.js';
import type { Share } from '../platform/db.js';
import { sql } from '../platform/sql.js';

// Kept for a while after their end: a code or refresh token that is used again must be recognised as used, so that the
// thief's session ends with it.
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

export async function purgeTokens(db: Share, clock: Clock): Promise<void> {
  const now = new Date(clock.now()).toISOString();
  const before = new Date(clock.now() - KEPT_MS).toISOString();
  await db.autocommit.query(sql`delete from oauth_access_tokens where expires_at <= ${now}`);
  await db.autocommit.query(sql`delete from oauth_codes where expires_at <= ${before}`);
  await db.autocommit.query(sql`delete from oauth_refresh_tokens where expires_at <= ${before}`);
}
