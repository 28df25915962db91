import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';

export const DELIVERY_CHANNEL = 'feira_deliveries';
const AT_MOST_EVERY_MS = 5;

/**
 * Tells the workers that something was written. Not part of the write itself: a transaction that notifies holds a lock
 * on the whole cluster while its commit reaches the disk, so notifying writes would commit one after the other. Many
 * writes share one notification; a worker that misses it looks by itself within a second.
 */
export class DeliveryWake {
  private telling = false;
  private again = false;
  private rest: NodeJS.Timeout | undefined;

  constructor(private readonly db: Share) {}

  /** At once, and then not again for a few milliseconds, nor before it is through: it may wait for a lock. */
  poke(): void {
    if (this.telling) {
      this.again = true;
      return;
    }
    this.telling = true;
    const rested = new Promise<void>((resolve) => {
      this.rest = setTimeout(resolve, AT_MOST_EVERY_MS);
    });
    Promise.all([this.tell().catch(() => {}), rested]).then(() => {
      this.telling = false;
      if (this.again) {
        this.again = false;
        this.poke();
      }
    });
  }

  close(): void {
    clearTimeout(this.rest);
  }

  /** Many writes emit nothing, and a worker may have been quicker: then there is nothing to say. */
  private async tell(): Promise<void> {
    // Not on a connection for reads: a notification commits, and waits for other commits.
    await this.db.autocommit.query(sql`
      select pg_notify(${DELIVERY_CHANNEL}, '')
      where exists (select from outbox) or exists (select from delivery_queues where next_at <= now())`);
  }
}
