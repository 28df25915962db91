import type { Locking } from '../catalog/reserve.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import type { OrderRequest } from './request.js';

/**
 * Locks the form and the network of each request until the transaction ends, and returns for each request whether both
 * are locked. A second request with the same form then finds the order of the first, and the orders of a network are
 * counted exactly.
 */
export async function lockCheckouts(
  tx: Tx,
  workspaceId: string,
  requests: OrderRequest[],
  locking: Locking,
): Promise<boolean[]> {
  const names = requests.map(({ checkoutId, limited }) => [
    `checkout ${workspaceId} ${checkoutId}`,
    ...(limited ? [`checkout from ${limited.network}`] : []),
  ]);
  const flat = names.flat();
  if (locking === 'wait') {
    await tx.query(sql`
      select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest((select ${flat}::text[])) as lock(name)`);
    return names.map(() => true);
  }
  const failed = await tx.query<{ name: string }>(sql`
    select name from unnest((select ${flat}::text[])) as lock(name)
    where not pg_try_advisory_xact_lock(hashtextextended(name, 0))`);
  const locked = new Set(flat);
  for (const { name } of failed) locked.delete(name);
  return names.map((each) => each.every((name) => locked.has(name)));
}
