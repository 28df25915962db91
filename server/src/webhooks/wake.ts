import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';

export const DELIVERY_CHANNEL = 'feira_deliveries';
const AT_MOST_EVERY_MS = 5;

/**
 * Notifies the workers of new events. It is not part of the write: a transaction that notifies holds a cluster-wide
 * lock until its commit is on disk, so notifying writes would commit one after the other. Many writes share one
 * notification; a worker that misses it polls within a second.
 */
export class DeliveryWake {
  private telling = false;
  private again = false;
  private rest: NodeJS.Timeout | undefined;

  constructor(private readonly db: Share) {}

  /**
   * Notifies immediately, and then not again for a few milliseconds or before it has completed, because it may wait
   * for a lock.
   */
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

  /**
   * Many writes emit nothing, and a worker may already have processed the events. In these cases no notification is
   * sent.
   */
  private async tell(): Promise<void> {
    // Not on a read connection, because a notification commits and waits for other commits.
    await this.db.autocommit.query(sql`
      select pg_notify(${DELIVERY_CHANNEL}, '')
      where exists (select from outbox) or exists (select from delivery_queues where next_at <= now())`);
  }
}
