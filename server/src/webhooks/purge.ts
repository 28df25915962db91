import type { Clock } from '../platform/clock.js';
import type { Share } from '../platform/db.js';
import { sql } from '../platform/sql.js';

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const AT_ONCE = 5_000;

/** Thirty days of the log. In portions, so that no statement holds locks for long. */
export async function purgeDeliveries(db: Share, clock: Clock): Promise<void> {
  const before = new Date(clock.now() - KEPT_MS).toISOString();
  for (;;) {
    const gone = await db.autocommit.query(sql`
      with old as materialized (
        select workspace_id, id from deliveries where created_at < ${before} and status <> 'pending' limit ${AT_ONCE}
      ),
      attempt as (
        delete from delivery_attempts a using old where a.workspace_id = old.workspace_id and a.delivery_id = old.id
      )
      delete from deliveries d using old where d.workspace_id = old.workspace_id and d.id = old.id returning 1`);
    if (gone.length < AT_ONCE) break;
  }
}
