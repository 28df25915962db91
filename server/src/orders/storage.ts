import type { Database } from '../platform/db/database.js';
import type { Share } from '../platform/db/share.js';

/**
 * The database area of orders. It has its own share of the connections and may fail independently of the rest of a
 * store; the calls that use it then return 502.
 */
export const ORDERS = 'orders';
/** The limit for all stores together, so that a hanging orders table leaves enough connections for everything else. */
export const ORDERS_CONNECTIONS = 7;

/** Returns the share through which all orders, customers and shipments of a store are accessed. */
export function ordersOf(db: Database, workspaceId: string): Share {
  return db.store(workspaceId, ORDERS);
}
