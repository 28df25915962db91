import type { Queryable } from '../platform/db.js';
import { badRequest } from '../platform/errors.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../platform/paging.js';
import { sql } from '../platform/sql.js';

export interface FeedEvent {
  id: string;
  event: string;
  workspaceId: string;
  data: Record<string, unknown>;
  createdAt: string;
}

interface Place {
  xid: string;
  seq: string;
}

/**
 * The store's events, oldest first. Only those are shown whose transaction began before every one that still runs:
 * what commits later then comes behind them, and a cursor that was given out never has something land before it.
 */
export async function readFeed(
  db: Queryable,
  workspaceId: string,
  query: { after?: string; limit?: number },
) {
  const limit = Math.min(query.limit ?? DEFAULT_LIMIT, MAX_LIMIT);
  const after = query.after === undefined ? START : decode(query.after);
  // Ordered by the columns, named in full: a bare name would be the text beside it, and text puts 1000 before 999.
  const rows = await db.query<FeedEvent & Place>(sql`
    select id, event, workspace_id as "workspaceId", data, created_at as "createdAt", xid::text, seq::text
    from events
    where workspace_id = ${workspaceId} and (xid, seq) > (${after.xid}::text::xid8, ${after.seq}::bigint)
      and xid < pg_snapshot_xmin(pg_current_snapshot())
    order by events.xid, events.seq limit ${limit + 1}`);
  const data = rows.slice(0, limit);
  const last = data.at(-1) ?? after;
  return {
    data: data.map(({ xid, seq, ...event }) => event),
    meta: { limit, hasMore: rows.length > limit, nextCursor: encode(last) },
  };
}

const START: Place = { xid: '0', seq: '0' };

function encode({ xid, seq }: Place): string {
  return Buffer.from(`${xid}.${seq}`).toString('base64url');
}

function decode(cursor: string): Place {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const match = /^(\d{1,19})\.(\d{1,18})$/.exec(text);
  if (!match || encode({ xid: match[1]!, seq: match[2]! }) !== cursor) {
    throw badRequest('after is not a cursor that this feed gave out', 'invalid_parameter');
  }
  return { xid: match[1]!, seq: match[2]! };
}
