import { DELIVERY_CHANNEL, EVENT_CHANNEL } from '../events/channels.js';
import type { Share } from '../platform/db/share.js';
import { type Statement, sql } from '../platform/db/sql.js';

const AT_MOST_EVERY_MS = 5;

/**
 * Wakes the workers after a write. If this process is a worker, it wakes itself, which costs PostgreSQL nothing.
 * Otherwise it notifies the workers. NOTIFY is not part of the write: a transaction that notifies holds a cluster-wide
 * lock until its commit is on disk, so such writes would commit one after the other. Many writes share one wake-up, and a
 * worker that misses it polls within a second.
 */
export class DeliveryWake {
  private waking = false;
  private again = false;
  private rest: NodeJS.Timeout | undefined;

  constructor(
    private readonly db: Share,
    /** The sequencer and the dispatcher of this process. They run only if the process is a worker. */
    private readonly sequencer: { readonly isRunning: boolean; wake(): void },
    private readonly dispatcher: { wake(): void },
  ) {}

  /**
   * Call this after a write that may have emitted events. Wakes a sequencer immediately, or once the previous wake-up has
   * completed and a few milliseconds have passed since it began. Notifications do not overlap, because each may have to
   * wait for a lock.
   */
  poke(): void {
    if (this.waking) {
      this.again = true;
      return;
    }
    this.waking = true;
    const rested = new Promise<void>((resolve) => {
      this.rest = setTimeout(resolve, AT_MOST_EVERY_MS);
    });
    Promise.all([this.wakeSequencer(), rested]).then(() => {
      this.waking = false;
      if (this.again) {
        this.again = false;
        this.poke();
      }
    });
  }

  /** Call this after a write that has made stored deliveries due. */
  deliveriesAreDue(): void {
    if (this.sequencer.isRunning) this.dispatcher.wake();
    else void this.notify(sql`select pg_notify(${DELIVERY_CHANNEL}, '')`);
  }

  close(): void {
    clearTimeout(this.rest);
  }

  private async wakeSequencer(): Promise<void> {
    if (this.sequencer.isRunning) this.sequencer.wake();
    // Many writes emit no event, so nothing is sent unless an event is waiting. next_in_outbox() searches the index: a
    // scan of the table would also read all rows that were deleted since the last vacuum.
    else
      await this.notify(
        sql`select pg_notify(${EVENT_CHANNEL}, '') where exists (select from next_in_outbox(1))`,
      );
  }

  /** A read connection is not used, because NOTIFY commits like a write and waits for other commits. */
  private async notify(statement: Statement): Promise<void> {
    await this.db.autocommit.query(statement).catch(() => {});
  }
}
