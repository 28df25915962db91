import type { Clock } from '../platform/clock.js';
import type { StoreAccess } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';

/** Tables with weekly partitions. Rows are dropped with their week, once all of it is older than 30 days. */
const PARTITIONED = ['events', 'deliveries', 'delivery_attempts'];
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const AHEAD = '21 days';

/** Drops the weeks that are past their retention and creates those to come. */
export async function rotatePartitions(db: StoreAccess, clock: Clock): Promise<void> {
  const before = new Date(clock.now() - KEPT_MS).toISOString();
  await db.autocommit.query(sql`
    select drop_partitions(parent, ${before}::timestamptz) from unnest(${PARTITIONED}::text[]) parent`);
  await addPartitions(db);
}

export async function addPartitions(db: StoreAccess): Promise<void> {
  await db.autocommit.query(sql`
    select add_partitions(parent, now(), now() + ${AHEAD}::interval) from unnest(${PARTITIONED}::text[]) parent`);
}
