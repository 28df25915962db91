import type { Database } from '../platform/db/database.js';
import type { Share } from '../platform/db/share.js';

/**
 * The database area of orders. It has its own share of the connections and may fail independently of the rest of a
 * store; the calls that use it then return 502.
 */
export const ORDERS = 'orders';
/**
 * The maximum number of connections for the orders of all stores together. If statements on the orders table hang,
 * enough connections are left for everything else.
 */
export const ORDERS_CONNECTIONS = 7;

/** Returns the share of a store in this area. */
export function ordersOf(db: Database, workspaceId: string): Share {
  return db.store(workspaceId, ORDERS);
}
