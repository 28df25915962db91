import type { Clock } from '../clock.js';
import type { Database } from '../db.js';
import { sql } from '../sql.js';
import { DAY_MS, type Spender, UPLOADS_PER_DAY, type Verdict } from './budgets.js';

/** The rolling count of a day is kept in the database, so that it survives a restart and holds over all processes. */
export class DailyUploads {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  async spend({ workspaceId, clientId }: Spender): Promise<Verdict> {
    const now = this.clock.now();
    const nowText = new Date(now).toISOString();
    const since = new Date(now - DAY_MS).toISOString();
    return this.db.transaction(async (tx) => {
      await tx.query(
        sql`select pg_advisory_xact_lock(hashtextextended(${`uploads ${workspaceId} ${clientId}`}, 0))`,
      );
      const [state] = await tx.query<{ used: number; oldest: string | null }>(sql`
        select count(*) as used, min(spent_at) as oldest from upload_spends
        where workspace_id = ${workspaceId} and client_id = ${clientId} and spent_at > ${since}`);
      const used = state?.used ?? 0;
      const resetMs = Math.max(0, Date.parse(state?.oldest ?? nowText) + DAY_MS - now);
      if (used >= UPLOADS_PER_DAY) return { accepted: false, limit: UPLOADS_PER_DAY, remaining: 0, resetMs };
      await tx.query(sql`
        insert into upload_spends (workspace_id, client_id, spent_at) values (${workspaceId}, ${clientId}, ${nowText})`);
      return { accepted: true, limit: UPLOADS_PER_DAY, remaining: UPLOADS_PER_DAY - used - 1, resetMs };
    });
  }

  async purge(): Promise<void> {
    const since = new Date(this.clock.now() - DAY_MS).toISOString();
    await this.db.autocommit.query(sql`delete from upload_spends where spent_at <= ${since}`);
  }
}
