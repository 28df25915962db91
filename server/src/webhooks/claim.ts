import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import type { Target } from './attempt.js';

/** A delivery that this process has leased. */
export interface Claimed extends Target {
  id: string;
  clientId: string;
  eventId: string;
  event: string;
  sequence: number;
  origin: string;
  data: unknown;
  attempts: number;
  attemptsLeft: number;
  claims: number;
  /** The end of the lease by the clock of this process. After it, another worker may claim the delivery. */
  leaseEndsAt: number;
  /** Whether the event and the subscription still exist, and the app still has a grant for the store. */
  live: boolean;
}

export interface ClaimRequest {
  now: number;
  leaseMs: number;
  /** The maximum number of deliveries in total. */
  max: number;
  /** The maximum number for a subscription that is not in `wanted`. */
  maxPerOther: number;
  /** The maximum number for each of these subscriptions. If it is 0, nothing is claimed for that subscription. */
  wanted: { webhookId: string; max: number }[];
}

/** The maximum number of subscriptions that one claim considers. */
const QUEUES = 32;

/**
 * Claims due deliveries, subscription by subscription. Subscriptions, and the deliveries of each, are taken in the
 * order of next_at. The cost depends on the number of claimed deliveries and not on the number of due ones. With
 * one index over the deliveries of all subscriptions, a claim took 140 ms when 200,000 rows of one subscription were
 * due.
 *
 * A row of delivery_queues is locked before the deliveries of its subscription are read, but the snapshot of the
 * statement is older than that lock. If the row has changed since the snapshot (`changes`), there may be due deliveries
 * that this statement does not see. The next_at of the row is then not changed, and the next claim looks again.
 * Otherwise next_at becomes the time of the first remaining delivery or the end of the lease, whichever is earlier, or
 * infinity if nothing is pending.
 *
 * Rows locked by another worker are skipped. The current time is the later of the application's and the database's,
 * so that tests can move the application's clock. OFFSET 0 makes PostgreSQL look up webhooks and events by key. Without
 * it, the planner expected hundreds of rows and read the whole tables.
 *
 * Without a synchronous standby, the commit does not wait for the disk: if a crash loses the claim, the delivery is due
 * again and is claimed again. With a synchronous standby, the commit waits until the standby has the claim and
 * therefore also the sequence numbers of the claimed events. Without this wait, a worker could send numbers that only a
 * failing primary has. After the failover, the same events would get different numbers.
 */
export async function claimDue(db: Share, request: ClaimRequest): Promise<Claimed[]> {
  const { leaseMs, max, maxPerOther } = request;
  const time = new Date(request.now).toISOString();
  const leaseEnd = new Date(request.now + leaseMs).toISOString();
  const unwanted = request.wanted.filter((each) => each.max === 0).map(({ webhookId }) => webhookId);
  const wanted = request.wanted.filter((each) => each.max > 0);
  const rows = await db.autocommit.query<Claimed>(sql`
    with commit_mode as (
      select set_config('synchronous_commit', case current_setting('synchronous_standby_names')
        when '' then 'off' else current_setting('synchronous_commit') end, true)
    ),
    clock as materialized (
      select greatest(${time}::timestamptz, now()) as now,
        greatest(${leaseEnd}::timestamptz, now() + ${leaseMs} * interval '1 ms') as lease_end
    ),
    queue as materialized (
      select q.workspace_id, q.webhook_id, q.changes, coalesce(known.max, ${maxPerOther}::integer) as max
      from delivery_queues q
      left join unnest(${wanted.map(({ webhookId }) => webhookId)}::uuid[], ${wanted.map((each) => each.max)}::integer[])
        as known(webhook_id, max) on known.webhook_id = q.webhook_id
      where q.next_at <= (select now from clock) and q.webhook_id <> all(${unwanted}::uuid[])
      order by q.next_at limit ${QUEUES} for update of q skip locked
    ),
    due as materialized (
      select d.workspace_id, d.id, d.webhook_id from queue q, lateral (
        select d.workspace_id, d.id, d.webhook_id from deliveries d
        where d.workspace_id = q.workspace_id and d.webhook_id = q.webhook_id and d.status = 'pending'
          and d.next_at <= (select now from clock)
        order by d.next_at limit q.max for update of d skip locked
      ) d limit ${max}
    ),
    taken as (
      update deliveries d set claims = d.claims + 1, next_at = (select lease_end from clock)
      from due where d.workspace_id = due.workspace_id and d.id = due.id returning d.*
    ),
    advanced as (
      update delivery_queues q set next_at = least(
          case when exists (select from due where due.webhook_id = q.webhook_id) then (select lease_end from clock) else 'infinity' end,
          -- next_at is never before now, so that subscriptions with a backlog take turns. If no other delivery is
          -- pending, this is null, which least() ignores.
          (
            select greatest(d.next_at, (select now from clock)) from deliveries d
            where d.workspace_id = q.workspace_id and d.webhook_id = q.webhook_id and d.status = 'pending'
              and d.id <> all(array(select due.id from due where due.webhook_id = q.webhook_id))
            order by d.next_at limit 1
          ))
      from queue join delivery_queues seen on seen.workspace_id = queue.workspace_id and seen.webhook_id = queue.webhook_id
      where q.workspace_id = queue.workspace_id and q.webhook_id = queue.webhook_id and seen.changes = queue.changes
        -- If the limit was reached, a queue without claimed deliveries may not have been read.
        and ((select count(*) from due) < ${max} or exists (select from due where due.webhook_id = q.webhook_id))
    )
    select t.workspace_id as "workspaceId", t.id, t.webhook_id as "webhookId", w.client_id as "clientId",
      t.event_id as "eventId", t.event, e.data, e.sequence, e.origin, t.attempts, t.attempts_left as "attemptsLeft", t.claims,
      (select * from commit_mode), w.url, w.secret, w.previous_secret as "previousSecret", w.previous_until as "previousUntil",
      e.id is not null and exists (select from oauth_grants g where g.workspace_id = w.workspace_id
                                   and g.client_id = w.client_id and g.connected_at is not null and g.revoked_at is null) as live
    from taken t
    left join lateral (
      select * from webhooks w where w.workspace_id = t.workspace_id and w.id = t.webhook_id offset 0
    ) w on true
    left join lateral (
      select e.id, e.data, e.sequence, e.origin from events e where e.workspace_id = t.workspace_id and e.id = t.event_id offset 0
    ) e on true`);
  for (const row of rows) row.leaseEndsAt = request.now + leaseMs;
  return rows;
}

/**
 * Returns the milliseconds until the next delivery is due, or undefined if none is pending. The subscriptions in
 * `except` are ignored.
 */
export async function dueIn(db: Share, now: number, except: string[]): Promise<number | undefined> {
  // PostgreSQL 15 and 16 cannot subtract infinity.
  const [row] = await db.query<{ ms: number }>(sql`
    select case when next_at = '-infinity' then 0
      else extract(epoch from next_at - greatest(${new Date(now).toISOString()}::timestamptz, now())) * 1000 end as ms
    from delivery_queues where next_at < 'infinity' and webhook_id <> all(${except}::uuid[]) order by next_at limit 1`);
  return row && Math.max(0, Math.ceil(row.ms));
}

/**
 * Releases the leases of deliveries that were not attempted, because the process is stopping, the receiver has become
 * slow, or too little of the lease is left for an attempt.
 */
export async function releaseLeases(db: Share, now: number, claimed: Claimed[]): Promise<void> {
  const rows = claimed.map(({ workspaceId, id, claims }) => ({ workspace_id: workspaceId, id, claims }));
  const time = new Date(now).toISOString();
  await db.autocommit.query(sql`
    with unsynced as (select set_config('synchronous_commit', 'off', true)),
    released as (
      update deliveries d set next_at = ${time}::timestamptz
      from unsynced, claimed_deliveries(${JSON.stringify(rows)}::json) r
      where d.workspace_id = r.workspace_id and d.id = r.id and d.claims = r.claims
        -- Not "status = 'pending'", for the reason given in recordFinished().
        and d.status not in ('delivered', 'failed', 'dropped')
      returning d.workspace_id, d.webhook_id
    )
    insert into delivery_queues as q (workspace_id, webhook_id, next_at)
    select distinct workspace_id, webhook_id, ${time}::timestamptz from released order by workspace_id, webhook_id
    on conflict (workspace_id, webhook_id) do update
      set next_at = least(q.next_at, excluded.next_at), changes = q.changes + 1`);
}
