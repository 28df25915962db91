import type { StoreAccess } from './share.js';
import { raw, type Statement, sql } from './sql.js';

const BATCH = 1_000;
/** A call stops after this time, and the next call continues. */
const ROUND_MS = 20_000;

/**
 * Deletes the rows of a table that match a condition, in batches that are committed separately. A single DELETE of all
 * rows that accumulated during an outage could exceed the statement timeout at every attempt. Rows locked by another
 * transaction are left for the next call. `table` must be a constant of our code, because it is inserted as SQL.
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
