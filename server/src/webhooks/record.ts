import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import type { AttemptResult } from './attempt.js';
import { ATTEMPTS, type Backoff, waitBefore } from './backoff.js';
import type { Claimed } from './claim.js';

export interface Finished {
  claimed: Claimed;
  /** The time of the attempt. Undefined if none was made, because the claimed delivery was not `live`. */
  at: number | undefined;
  result: AttemptResult | undefined;
}

/**
 * Records the results of many attempts: the log entry, the next attempt or the final status, and the health of the
 * subscription. `claims` is a fencing token: the result of a worker is ignored if the delivery was claimed again in the
 * meantime. `attempts` prevents a result from being recorded twice when the connection broke before the first recording
 * was confirmed.
 */
export async function recordFinished(
  db: Share,
  now: number,
  backoff: Backoff,
  finished: Finished[],
): Promise<{ delivered: number; failed: number }> {
  const rows = JSON.stringify(finished.map((each) => rowOf(each, now, backoff)));
  const time = new Date(now).toISOString();
  const [counts] = await db.autocommit.query<{ delivered: number; failed: number }>(sql`
    with done as (
      update deliveries d set status = r.status, attempts = r.number, attempts_left = r.attempts_left, next_at = r.next_at
      from claimed_deliveries(${rows}::json) r
      where d.workspace_id = r.workspace_id and d.id = r.id and d.claims = r.claims and d.attempts = r.attempts
        -- With "status = 'pending'", the planner read the index of all pending deliveries instead of the primary key.
        and d.status not in ('delivered', 'failed', 'dropped')
      returning d.webhook_id, r.*
    ),
    queued as (
      insert into delivery_queues as q (workspace_id, webhook_id, next_at)
      select workspace_id, webhook_id, min(next_at) from done where status = 'pending'
      group by workspace_id, webhook_id order by workspace_id, webhook_id
      on conflict (workspace_id, webhook_id) do update
        set next_at = least(q.next_at, excluded.next_at), changes = q.changes + 1
    ),
    logged as (
      insert into delivery_attempts (workspace_id, delivery_id, number, at, status_code, error, duration_ms, response)
      select workspace_id, id, number, at, status_code, error, duration_ms, response from done where at is not null
    ),
    health as (
      select workspace_id, webhook_id, bool_or(status = 'delivered') as delivered,
        count(*) filter (where status = 'failed' and at is not null) as lost
      from done group by workspace_id, webhook_id
    ),
    -- Locked in the order of their ids, so that two workers that update the same subscriptions do not deadlock.
    locked as materialized (
      select w.workspace_id, w.id, h.delivered, h.lost from webhooks w
      join health h on h.workspace_id = w.workspace_id and h.webhook_id = w.id
      where h.lost > 0 or (h.delivered and (w.lost_in_a_row > 0 or w.last_delivery_at is null
                                            or w.last_delivery_at < ${time}::timestamptz - interval '1 second'))
      order by w.workspace_id, w.id for no key update of w
    ),
    updated as (
      update webhooks w set
        lost_in_a_row = case when l.delivered then 0 else w.lost_in_a_row + l.lost end,
        last_delivery_at = case when l.delivered then ${time}::timestamptz else w.last_delivery_at end
      from locked l where w.workspace_id = l.workspace_id and w.id = l.id
    )
    select count(*) filter (where status = 'delivered') as delivered, count(*) filter (where status = 'failed') as failed from done`);
  return counts!;
}

function rowOf({ claimed, at, result }: Finished, now: number, backoff: Backoff) {
  const { workspaceId, id, claims } = claimed;
  const number = claimed.attempts + (result ? 1 : 0);
  const attemptsLeft = result ? claimed.attemptsLeft - 1 : 0;
  const status = result?.delivered ? 'delivered' : attemptsLeft > 0 ? 'pending' : 'failed';
  // The number of the next attempt. A redelivery allows five new attempts, which are numbered from 1 again here.
  const upcoming = ATTEMPTS - attemptsLeft + 1;
  return {
    workspace_id: workspaceId,
    id,
    claims,
    attempts: claimed.attempts,
    status,
    number,
    attempts_left: attemptsLeft,
    next_at: new Date(status === 'pending' ? now + waitBefore(upcoming, backoff) : now).toISOString(),
    at: at === undefined ? null : new Date(at).toISOString(),
    status_code: result?.statusCode ?? null,
    error: result?.error ?? null,
    duration_ms: result?.durationMs ?? 0,
    response: result?.response ?? null,
  };
}
