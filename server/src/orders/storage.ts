import type { Database } from '../platform/db/database.js';
import type { Share } from '../platform/db/share.js';

/** The area of a store that may fail without the rest of it (SPEC 7: 502), with its own share of the connections. */
export const ORDERS = 'orders';
/** All stores together, so that a hanging orders table leaves connections for everything else. */
export const ORDERS_CONNECTIONS = 7;

/** The one way to the orders, customers and shipments of a store. */
export function ordersOf(db: Database, workspaceId: string): Share {
  return db.store(workspaceId, ORDERS);
}
