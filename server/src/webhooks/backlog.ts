import type { Clock } from '../platform/clock.js';
import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';

/**
 * The maximum number of pending deliveries per subscription, and the maximum time for which a delivery may be overdue.
 * Due deliveries that exceed a limit are dropped. They stay in the log, and their events in the feed.
 */
export const MAX_PENDING = 100_000;
const MAX_WAIT_MS = 3 * 24 * 60 * 60 * 1000;
const AT_ONCE = 1_000;

interface Queue {
  workspace_id: string;
  webhook_id: string;
}

/**
 * Drops due deliveries of subscriptions that are too far behind: the oldest ones if more than `maxPending` are pending,
 * and those that have been overdue for more than three days.
 */
export async function dropBacklogs(db: Share, clock: Clock, maxPending = MAX_PENDING): Promise<void> {
  const tooOld = new Date(clock.now() - MAX_WAIT_MS).toISOString();
  const queues = await db.query<Queue>(sql`
    select workspace_id, webhook_id from delivery_queues where next_at < 'infinity' order by next_at limit 10000`);
  for (const queue of queues) {
    if (!(await exceedsLimits(db, queue, tooOld, maxPending))) continue;
    while ((await drop(db, queue, tooOld, maxPending)) === AT_ONCE);
  }
  await forgetDeleted(db);
}

/** Returns whether a queue exceeds one of the two limits. It reads at most `maxPending` + 1 deliveries. */
async function exceedsLimits(db: Share, queue: Queue, tooOld: string, maxPending: number): Promise<boolean> {
  const [row] = await db.query<{ count: number; old: boolean | null }>(sql`
    select count(*), bool_or(since < ${tooOld}::timestamptz) as old from (
      select greatest(next_at, created_at) as since from deliveries
      where workspace_id = ${queue.workspace_id} and webhook_id = ${queue.webhook_id} and status = 'pending'
      limit ${maxPending + 1}
    ) pending`);
  return row!.count > maxPending || row!.old === true;
}

/**
 * Drops up to 1,000 deliveries and returns their number. Deliveries that are being sent or wait for a retry count as
 * pending but are not dropped.
 */
async function drop(db: Share, queue: Queue, tooOld: string, maxPending: number): Promise<number> {
  const [row] = await db.autocommit.query<{ dropped: number }>(sql`
    with ranked as (
      select id, next_at, greatest(next_at, created_at) as since, row_number() over (order by id desc) as newest
      from deliveries
      where workspace_id = ${queue.workspace_id} and webhook_id = ${queue.webhook_id} and status = 'pending'
    ),
    excess as materialized (
      select d.id from ranked r join deliveries d on d.workspace_id = ${queue.workspace_id} and d.id = r.id
      where (r.newest > ${maxPending} or r.since < ${tooOld}::timestamptz) and r.next_at <= now() and d.status = 'pending'
      order by d.id limit ${AT_ONCE} for update of d skip locked
    ),
    dropped as (
      update deliveries d set status = 'dropped', claims = d.claims + 1 from excess
      where d.workspace_id = ${queue.workspace_id} and d.id = excess.id returning 1
    ),
    lost as (
      update webhooks set lost_in_a_row = lost_in_a_row + (select count(*) from dropped)
      where workspace_id = ${queue.workspace_id} and id = ${queue.webhook_id}
    )
    select count(*) as dropped from dropped`);
  return row!.dropped;
}

/** Removes queues that have no pending deliveries and whose subscription was deleted. */
async function forgetDeleted(db: Share): Promise<void> {
  await db.autocommit.query(sql`
    delete from delivery_queues where ctid = any(array(
      select q.ctid from delivery_queues q where q.next_at = 'infinity'
        and not exists (select from webhooks w where w.workspace_id = q.workspace_id and w.id = q.webhook_id)
      limit ${AT_ONCE} for update skip locked))`);
}
