import type { Database } from '../platform/db/database.js';
import type { Share } from '../platform/db/share.js';

/**
 * The area of a store that may fail independently of the rest (its calls then return 502), with its own share of the
 * connections.
 */
export const ORDERS = 'orders';
/** The limit for all stores together, so that a hanging orders table leaves connections for everything else. */
export const ORDERS_CONNECTIONS = 7;

/** All access to the orders, customers and shipments of a store goes through this share. */
export function ordersOf(db: Database, workspaceId: string): Share {
  return db.store(workspaceId, ORDERS);
}
