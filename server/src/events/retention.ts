import type { Clock } from '../platform/clock.js';
import type { StoreAccess } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';

/** Tables with weekly partitions. A partition is dropped 30 days after the end of its week. */
const PARTITIONED = ['events', 'deliveries', 'delivery_attempts'];
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const AHEAD = '21 days';

/** Drops expired partitions and creates future ones. */
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

/** The number of stores whose entries one statement deletes. */
const STORES_AT_ONCE = 1_000;
const FIRST_STORE = '00000000-0000-0000-0000-000000000000';

/**
 * Deletes the epochs that ended more than 30 days ago, because all cursors issued in them have expired. Then deletes
 * the rows of event_epoch_entries that are no longer needed. A row contains the number of a store's last event and that
 * of its last order change before an epoch. It limits only the cursors of earlier epochs, so the rows of the oldest
 * remaining epoch and of deleted epochs are never read again. The epochs must be deleted first. In the reverse order,
 * an interruption could leave an epoch without the rows that limit its cursors, and cursors that a restore has
 * invalidated would be accepted.
 */
export async function purgeEpochs(db: StoreAccess, clock: Clock): Promise<void> {
  const before = new Date(clock.now() - KEPT_MS).toISOString();
  const purged = await db.autocommit.query(sql`
    delete from event_epochs where ordinal in (
      select ordinal from (
        select ordinal, lead(began_at) over (order by ordinal) as ended_at from event_epochs
      ) epochs where ended_at <= ${before}::timestamptz)
    returning 1`);
  if (purged.length > 0) await purgeEntries(db);
}

/**
 * Deletes the rows that are no longer needed, for 1,000 stores at a time. The table has an index on store and epoch,
 * but none on the epoch alone, so a statement for all stores would read the whole table.
 */
async function purgeEntries(db: StoreAccess): Promise<void> {
  let last = FIRST_STORE;
  for (;;) {
    const stores = await db.query<{ id: string }>(sql`
      select workspace_id as id from event_heads where workspace_id > ${last} order by workspace_id limit ${STORES_AT_ONCE}`);
    await db.autocommit.query(sql`
      delete from event_epoch_entries where workspace_id = any(${stores.map(({ id }) => id)}::uuid[])
        and epoch <= (select min(ordinal) from event_epochs)`);
    if (stores.length < STORES_AT_ONCE) return;
    last = stores.at(-1)!.id;
  }
}
