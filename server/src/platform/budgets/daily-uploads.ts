import type { Clock } from '../clock.js';
import type { Database } from '../db/database.js';
import { deleteInBatches } from '../db/delete-in-batches.js';
import type { Queryable, Share } from '../db/share.js';
import { sql } from '../db/sql.js';
import { DAY_MS, type Spender, UPLOADS_PER_DAY, type Verdict } from './budgets.js';

/**
 * Counts the uploads of the last 24 hours in the database, so that the count survives restarts and all processes share
 * it.
 */
export class DailyUploads {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  async spend(spender: Spender): Promise<Verdict> {
    const { workspaceId, clientId } = spender;
    const now = this.clock.now();
    return this.db.store(workspaceId).transaction(async (tx) => {
      await tx.query(
        sql`select pg_advisory_xact_lock(hashtextextended(${`uploads ${workspaceId} ${clientId}`}, 0))`,
      );
      const verdict = await standing(tx, spender, now);
      if (!verdict.accepted) return verdict;
      await tx.query(sql`
        insert into upload_spends (workspace_id, client_id, spent_at)
        values (${workspaceId}, ${clientId}, ${new Date(now).toISOString()})`);
      return { ...verdict, remaining: verdict.remaining - 1 };
    });
  }

  /** Returns whether another upload would be accepted, without counting one. */
  peek(spender: Spender): Promise<Verdict> {
    return standing(this.db.store(spender.workspaceId), spender, this.clock.now());
  }
}

export async function purgeUploadSpends(db: Share, clock: Clock): Promise<void> {
  const since = new Date(clock.now() - DAY_MS).toISOString();
  await deleteInBatches(db, 'upload_spends', sql`spent_at <= ${since}`);
}

async function standing(db: Queryable, { workspaceId, clientId }: Spender, now: number): Promise<Verdict> {
  const [state] = await db.query<{ used: number; oldest: string | null }>(sql`
    select count(*) as used, min(spent_at) as oldest from upload_spends
    where workspace_id = ${workspaceId} and client_id = ${clientId}
      and spent_at > ${new Date(now - DAY_MS).toISOString()}`);
  const used = state?.used ?? 0;
  const oldest = state?.oldest ? Date.parse(state.oldest) : now;
  return {
    accepted: used < UPLOADS_PER_DAY,
    limit: UPLOADS_PER_DAY,
    remaining: Math.max(0, UPLOADS_PER_DAY - used),
    resetMs: Math.max(0, oldest + DAY_MS - now),
  };
}
