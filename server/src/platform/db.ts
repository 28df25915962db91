export { type Database, openDatabase } from './db/database.js';
export type { Queryable, Share, StoreAccess, Transaction, Tx } from './db/share.js';
