import type { Queryable, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { startOfDay } from '../platform/db/store-days.js';
import { type FaultDetail, invalid } from '../platform/http/errors.js';
import { isDayText, isoOf, timeOf } from '../platform/schema/times.js';
import { MAX_PENDING } from './backlog.js';
import { ATTEMPTS } from './backoff.js';
import type { Owner } from './subscriptions.js';

/**
 * The maximum number of deliveries per call. Changing 10,000 rows took 0.8 s on two busy cores, and the rows are locked
 * meanwhile.
 */
const MAX_PER_REPLAY = 10_000;

/**
 * Pending deliveries are left out because they are already queued. `failed` includes dropped deliveries, which were not
 * delivered either.
 */
const REPLAYED = { failed: ['failed', 'dropped'], all: ['failed', 'dropped', 'delivered'] };

export interface ReplayRequest {
  from: string;
  to?: string;
  status: keyof typeof REPLAYED;
}

export interface Replayed {
  count: number;
  /** The creation time of the first delivery that could not be queued. Absent if all were queued. */
  continueFrom?: string;
}

interface Period {
  from: string;
  /** The exclusive end of the period, or null if it has no end. */
  until: string | null;
}

/** Checks the format of both ends. readPeriod checks their order, which depends on the time zone of the store. */
export function faultsOfPeriod(body: { from?: unknown; to?: unknown }): FaultDetail[] {
  return (['from', 'to'] as const)
    .filter((field) => {
      const text = body[field];
      return typeof text === 'string' && timeOf(text) === undefined && !isDayText(text);
    })
    .map((field) => ({
      field,
      message: 'must be an RFC 3339 time such as 2026-01-31T00:00:00Z, or a day such as 2026-01-31',
    }));
}

/**
 * A period that begins before FIRST or ends after LAST is cut there. In the time zone of a store, the first day of the
 * year 1 can begin in the year 0 (in UTC), and the last day of the year 9999 can end in the year 10000. PostgreSQL does
 * not write such times as RFC 3339.
 */
const FIRST = '0001-01-02T00:00:00Z';
const LAST = '9999-12-31T00:00:00Z';

/**
 * Reads a period whose ends are both included. A time is exact to the millisecond; a day is a whole day in the time
 * zone of the store.
 */
export async function readPeriod(
  db: Queryable,
  workspaceId: string,
  { from, to }: Pick<ReplayRequest, 'from' | 'to'>,
): Promise<Period> {
  const begin = isDayText(from)
    ? startOfDay(workspaceId, sql`${from}::date`)
    : sql`${isoOf(from)}::timestamptz`;
  const end =
    to === undefined
      ? sql`null::timestamptz`
      : isDayText(to)
        ? startOfDay(workspaceId, sql`${to}::date + 1`)
        : sql`${isoOf(to)}::timestamptz + interval '1 ms'`;
  const [period] = await db.query<Period & { isReversed: boolean | null }>(sql`
    select greatest(p.from, ${FIRST}::timestamptz) as from, least(p.until, ${LAST}::timestamptz) as until,
      p.until <= p.from as "isReversed"
    from (select ${begin} as from, ${end} as until) p`);
  if (period!.isReversed) throw invalid([{ field: 'to', message: 'must not be earlier than from' }]);
  return period!;
}

/**
 * Queues the deliveries of a period again, oldest first, each for up to five new attempts with the same event id. It
 * queues no more than the backlog of the subscription can hold, because the excess would be dropped.
 *
 * Rows that another call has locked are skipped: that call queues them or returns their time as continueFrom.
 */
export async function replay(
  tx: Tx,
  { workspaceId }: Owner,
  webhookId: string,
  { from, until }: Period,
  status: ReplayRequest['status'],
): Promise<Replayed> {
  const [row] = await tx.query<{ count: number; continueFrom: string | null }>(sql`
    with room as materialized (
      select greatest(0, least(${MAX_PER_REPLAY}::bigint, ${MAX_PENDING} - count(*))) as max from (
        select from deliveries
        where workspace_id = ${workspaceId} and webhook_id = ${webhookId} and status = 'pending' limit ${MAX_PENDING}
      ) pending
    ),
    matching as materialized (
      select d.id, d.created_at from deliveries d
      where d.workspace_id = ${workspaceId} and d.webhook_id = ${webhookId} and d.status = any(${REPLAYED[status]}::text[])
        and d.created_at >= ${from}::timestamptz and d.created_at < coalesce(${until}::timestamptz, 'infinity')
      order by d.created_at, d.id limit (select max + 1 from room) for update of d skip locked
    ),
    queued as (
      update deliveries d set status = 'pending', attempts_left = ${ATTEMPTS}, next_at = now(), claims = d.claims + 1
      where d.workspace_id = ${workspaceId} and d.id = any(array(
        select id from matching order by created_at, id limit (select max from room)))
      returning 1
    ),
    queue as (
      insert into delivery_queues as q (workspace_id, webhook_id, next_at)
      select ${workspaceId}::uuid, ${webhookId}::uuid, now() where exists (select from queued)
      on conflict (workspace_id, webhook_id) do update
        set next_at = least(q.next_at, excluded.next_at), changes = q.changes + 1
    )
    select (select count(*) from queued) as count,
      (select created_at from matching order by created_at, id offset (select max from room) limit 1) as "continueFrom"`);
  const { count, continueFrom } = row!;
  return continueFrom === null ? { count } : { count, continueFrom };
}
