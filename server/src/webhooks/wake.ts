import type { Database } from '../platform/db.js';
import { sql } from '../platform/sql.js';

export const DELIVERY_CHANNEL = 'feira_deliveries';
const AT_MOST_EVERY_MS = 3;

/**
 * Tells the workers that something was written. Not part of the write itself: a transaction that notifies holds a lock
 * on the whole cluster while its commit reaches the disk, so notifying writes would commit one after the other. Many
 * writes share one notification; a worker that misses it looks by itself within a second.
 */
export class DeliveryWake {
  private resting: NodeJS.Timeout | undefined;
  private again = false;

  constructor(private readonly db: Database) {}

  /** At once, and then not again for a few milliseconds. */
  poke(): void {
    if (this.resting) {
      this.again = true;
      return;
    }
    // Most stores have no subscription to what was written: a worker need not look for that.
    const told = this.db.query(sql`
      select pg_notify(${DELIVERY_CHANNEL}, '')
      where exists (select from deliveries where status = 'pending' and next_at <= now())`);
    told.catch(() => {});
    this.resting = setTimeout(() => {
      this.resting = undefined;
      if (this.again) {
        this.again = false;
        this.poke();
      }
    }, AT_MOST_EVERY_MS);
  }

  close(): void {
    clearTimeout(this.resting);
  }
}
