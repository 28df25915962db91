import type { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { TooManyRefreshes } from './token-errors.js';

/**
 * An access token is valid for two hours, so a client needs twelve refreshes per day. Every refresh creates a new
 * refresh token, which is stored for weeks. A limit of 600 per hour and grant leaves room for tests and for clients
 * that refresh before each batch, but stops a client that refreshes in a loop.
 */
const REFRESHES_PER_HOUR = 600;
const HOUR_MS = 60 * 60 * 1000;

/** Counts a refresh of a grant that the caller has locked, or returns an error if the limit was already reached. */
export async function countRefresh(
  tx: Tx,
  clock: Clock,
  grant: { workspace_id: string; grant_id: string; refreshes_since: string | null; refreshes: number },
): Promise<TooManyRefreshes | undefined> {
  const now = clock.now();
  const endsAt = grant.refreshes_since === null ? 0 : Date.parse(grant.refreshes_since) + HOUR_MS;
  const isSameHour = endsAt > now;
  if (isSameHour && grant.refreshes >= REFRESHES_PER_HOUR)
    return new TooManyRefreshes(REFRESHES_PER_HOUR, Math.ceil((endsAt - now) / 1000));
  const since = isSameHour ? grant.refreshes_since : new Date(now).toISOString();
  await tx.query(sql`
    update oauth_grants set refreshes_since = ${since}, refreshes = ${isSameHour ? grant.refreshes + 1 : 1}
    where workspace_id = ${grant.workspace_id} and id = ${grant.grant_id}`);
  return undefined;
}
