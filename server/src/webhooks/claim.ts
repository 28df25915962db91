import type { Share } from '../platform/db.js';
import { sql } from '../platform/sql.js';
import type { Target } from './attempt.js';

/** A delivery that this process has taken for a while. */
export interface Claimed extends Target {
  id: string;
  eventId: string;
  event: string;
  sequence: number;
  origin: string;
  data: unknown;
  attempts: number;
  attemptsLeft: number;
  claims: number;
  /** By the clock that claimed it: from then on another may take it. */
  leaseEndsAt: number;
  /** It was not taken after all, but moved behind: its receiver is slow and has enough. */
  isPutOff: boolean;
  /** The subscription is still there and its app still has a grant for the store. */
  live: boolean;
}

/**
 * Takes what is due, oldest first, by state: a sequence would pass over what commits late. Rows that another worker is
 * taking are skipped. The time is the later of ours and the database's: a test moves ours, and skew delays nothing.
 * What is owed to slow receivers that have enough is put off in the same statement.
 * The claim is not waited for on the disk: were it lost in a crash, so would be the attempt.
 * A change that commits after its subscription was deleted leaves a delivery to nobody: it is taken too, and ended.
 * Each event is looked up by itself, and OFFSET 0 keeps it so: expecting hundreds, the planner read all events for one.
 */
export async function claimDue(
  db: Share,
  now: number,
  leaseMs: number,
  most: number,
  lanes: { full: string[]; slow: { webhookId: string; putOffMs: number }[] },
): Promise<Claimed[]> {
  const time = new Date(now).toISOString();
  const leaseEnd = new Date(now + leaseMs).toISOString();
  const rows = await db.autocommit.query<Claimed>(sql`
    with unsynced as (select set_config('synchronous_commit', 'off', true)),
    due as materialized (
      select workspace_id, id, webhook_id from deliveries
      where status = 'pending' and next_at <= greatest(${time}::timestamptz, now()) and webhook_id <> all(${lanes.full}::uuid[])
      order by next_at limit ${most} for update skip locked
    ),
    taken as (
      update deliveries d set claims = d.claims + 1, next_at = case when slow.put_off_ms is null
        then greatest(${leaseEnd}::timestamptz, now() + ${leaseMs} * interval '1 ms')
        else greatest(${time}::timestamptz, now()) + slow.put_off_ms * (0.5 + random() / 2) * interval '1 ms' end
      from due left join unnest(${lanes.slow.map((lane) => lane.webhookId)}::uuid[],
        ${lanes.slow.map((lane) => lane.putOffMs)}::float8[]) as slow(webhook_id, put_off_ms) using (webhook_id)
      where d.workspace_id = due.workspace_id and d.id = due.id
      returning d.*, slow.put_off_ms is not null as put_off
    )
    select t.workspace_id as "workspaceId", t.id, t.webhook_id as "webhookId", t.event_id as "eventId", t.event, e.data, e.sequence, e.origin,
      t.attempts, t.attempts_left as "attemptsLeft", t.claims, t.put_off as "isPutOff", (select * from unsynced), w.url, w.secret, w.previous_secret as "previousSecret",
      w.previous_until as "previousUntil",
      e.id is not null and exists (select from oauth_grants g where g.workspace_id = w.workspace_id
                                   and g.client_id = w.client_id and g.connected_at is not null and g.revoked_at is null) as live
    from taken t
    left join lateral (
      select * from webhooks w where w.workspace_id = t.workspace_id and w.id = t.webhook_id and not t.put_off offset 0
    ) w on true
    left join lateral (
      select e.id, e.data, e.sequence, e.origin from events e where e.workspace_id = t.workspace_id and e.id = t.event_id and not t.put_off offset 0
    ) e on true`);
  for (const row of rows) row.leaseEndsAt = now + leaseMs;
  return rows;
}

/** Milliseconds until something is due; undefined when nothing waits. PostgreSQL 15 and 16 cannot subtract an infinity. */
export async function dueIn(db: Share, now: number): Promise<number | undefined> {
  const [row] = await db.query<{ ms: number | null }>(sql`
    select case when min(next_at) = '-infinity' then 0
      else extract(epoch from min(next_at) - greatest(${new Date(now).toISOString()}::timestamptz, now())) * 1000 end as ms
    from deliveries where status = 'pending'`);
  return row?.ms === null || row === undefined ? undefined : Math.max(0, Math.ceil(row.ms));
}

export interface PutBack {
  claimed: Claimed;
  /** Milliseconds from now. */
  inMs: number;
}

/** Gives up leases without an attempt: at a stop, or because the receiver is too slow for more. */
export async function putBack(db: Share, now: number, entries: PutBack[]): Promise<void> {
  const rows = entries.map(({ claimed, inMs }) => ({
    workspace_id: claimed.workspaceId,
    id: claimed.id,
    claims: claimed.claims,
    next_at: new Date(now + inMs).toISOString(),
  }));
  await db.autocommit.query(sql`
    with unsynced as (select set_config('synchronous_commit', 'off', true))
    update deliveries d set next_at = r.next_at
    from unsynced, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(workspace_id uuid, id uuid, claims integer, next_at timestamptz)
    where d.workspace_id = r.workspace_id and d.id = r.id and d.claims = r.claims and d.status = 'pending'`);
}
