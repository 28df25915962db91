import type { StoreAccess } from './share.js';
import { raw, type Statement, sql } from './sql.js';

const BATCH = 1_000;
/** A round ends after this time; the next one goes on. */
const ROUND_MS = 20_000;

/**
 * Deletes the rows of a table for which a condition holds. In batches, each a commit of its own, so that a purge catches
 * up after an outage however much there is: one DELETE for everything ran into its own time limit, every time. Rows that
 * another transaction holds are left for the next round. The table is named by us, never by input.
 */
export async function deleteInBatches(
  db: StoreAccess,
  table: string,
  condition: Statement,
  batch = BATCH,
): Promise<void> {
  const until = performance.now() + ROUND_MS;
  const name = raw(table);
  const statement = sql`
    delete from ${name} where ctid = any(array(
      select ctid from ${name} where ${condition} limit ${batch} for update skip locked)) returning 1`;
  while ((await db.autocommit.query(statement)).length === batch && performance.now() < until);
}
