import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';

/** The channel that wakes the sequencers, which number the events in the outbox. */
export const EVENT_CHANNEL = 'feira_events';
/** The channel that wakes the dispatchers when deliveries are due, for example after a redelivery was requested. */
export const DELIVERY_CHANNEL = 'feira_deliveries';
const AT_MOST_EVERY_MS = 5;

/**
 * Notifies the workers of new events and due deliveries. NOTIFY is not part of the write: a transaction that notifies
 * holds a cluster-wide lock until its commit is on disk, so such writes would commit one after the other. Many writes
 * share one notification, and a worker that misses it polls within a second.
 */
export class DeliveryWake {
  private notifying = false;
  private again = false;
  private rest: NodeJS.Timeout | undefined;

  constructor(private readonly db: Share) {}

  /**
   * Notifies immediately, or once the previous notification has completed and a few milliseconds have passed since it
   * began. Notifications do not overlap, because each may have to wait for a lock.
   */
  poke(): void {
    if (this.notifying) {
      this.again = true;
      return;
    }
    this.notifying = true;
    const rested = new Promise<void>((resolve) => {
      this.rest = setTimeout(resolve, AT_MOST_EVERY_MS);
    });
    Promise.all([this.notify().catch(() => {}), rested]).then(() => {
      this.notifying = false;
      if (this.again) {
        this.again = false;
        this.poke();
      }
    });
  }

  close(): void {
    clearTimeout(this.rest);
  }

  /** Many writes emit no event, so nothing is sent unless an event is waiting or a delivery is due. */
  private async notify(): Promise<void> {
    // A read connection is not used, because NOTIFY commits like a write and waits for other commits. next_in_outbox()
    // searches the index: a scan of the table would also read all rows that were deleted since the last vacuum.
    await this.db.autocommit.query(sql`
      select pg_notify(${EVENT_CHANNEL}, '') where exists (select from next_in_outbox(1))
      union all
      select pg_notify(${DELIVERY_CHANNEL}, '') where exists (select from delivery_queues where next_at <= now())`);
  }
}
