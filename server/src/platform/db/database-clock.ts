import { Gauge, type Registry } from 'prom-client';
import { type Clock, systemClock } from '../clock.js';
import type { Queryable } from './share.js';
import { sql } from './sql.js';

const SYNC_EVERY_MS = 5_000;
/**
 * The maximum drift between the clocks of two machines, in milliseconds per millisecond. NTP slews a clock by at most
 * half of this.
 */
const DRIFT = 0.001;

/**
 * The time of the database, the only clock that stored times may be compared with. When workers used their own clocks,
 * a worker one day behind made all five attempts of a delivery within a second, and a worker one day ahead kept its
 * claims on deliveries for a day and canceled new orders. Between two synchronizations the time advances with the
 * monotonic clock, so setting this machine's clock has no effect.
 */
export class DatabaseClock implements Clock {
  /** Database time minus monotonic time. */
  private offset = 0;
  /** The maximum error of the offset when it was measured: half of the round trip. */
  private error = Number.POSITIVE_INFINITY;
  private measuredAt = 0;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly db: Queryable,
    private readonly machine: Clock,
  ) {}

  static async open(db: Queryable, machine: Clock = systemClock): Promise<DatabaseClock> {
    const clock = new DatabaseClock(db, machine);
    await clock.synchronize();
    clock.scheduleSync();
    return clock;
  }

  now(): number {
    return Math.round(this.offset + this.machine.monotonic());
  }

  monotonic(): number {
    return this.machine.monotonic();
  }

  /** How far this machine's clock is ahead of the database's. The value is negative if it is behind. */
  get machineAheadMs(): number {
    return this.machine.now() - this.now();
  }

  measure(registry: Registry): void {
    const clock = this;
    new Gauge({
      name: 'feira_clock_ahead_seconds',
      help: "How far the clock of this machine is ahead of the database's",
      registers: [registry],
      collect() {
        this.set(clock.machineAheadMs / 1000);
      },
    });
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /**
   * Measures the offset again. The previous measurement is kept if it is still more accurate, because the new reply may
   * have waited behind a slow statement.
   */
  async synchronize(): Promise<void> {
    const askedAt = this.monotonic();
    const [row] = await this.db.query<{ ms: number }>(
      sql`select extract(epoch from clock_timestamp()) * 1000 as ms`,
    );
    const answeredAt = this.monotonic();
    const error = (answeredAt - askedAt) / 2;
    if (error > this.error + (answeredAt - this.measuredAt) * DRIFT) return;
    this.offset = row!.ms - (askedAt + error);
    this.error = error;
    this.measuredAt = answeredAt;
  }

  private scheduleSync(): void {
    this.timer = setTimeout(async () => {
      // If the database is unreachable, the last offset stays in use.
      await this.synchronize().catch(() => {});
      if (this.timer !== undefined) this.scheduleSync();
    }, SYNC_EVERY_MS).unref();
  }
}
