import type { Database } from '../platform/db/database.js';
import type { Share } from '../platform/db/share.js';

/**
 * Orders have their own share of the database connections, so that a failure of their storage does not affect the rest
 * of a store. During such a failure, the calls that use orders return 502.
 */
export const ORDERS = 'orders';
/**
 * The maximum number of connections for the orders of all stores together. If statements on the orders table hang,
 * enough connections are left for everything else.
 */
export const ORDERS_CONNECTIONS = 7;

/** Returns the database access of a store for its orders. */
export function ordersOf(db: Database, workspaceId: string): Share {
  return db.store(workspaceId, ORDERS);
}
