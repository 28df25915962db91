import { Gauge, type Registry } from 'prom-client';
import { type Clock, systemClock } from '../clock.js';
import type { Queryable } from './share.js';
import { sql } from './sql.js';

const SYNC_EVERY_MS = 5_000;
/** How far two machines' monotonic clocks drift apart per millisecond. NTP slews by at most half of this. */
const DRIFT = 0.001;

/**
 * The database's time. Stored times are compared with it and with nothing else: with the clocks of the machines, a
 * worker a day behind made all five attempts of a delivery within a second, and one a day ahead kept its claims for a
 * day and canceled fresh orders. Between two synchronizations it advances with the monotonic clock, so that a step of
 * this machine's clock changes nothing.
 */
export class DatabaseClock implements Clock {
  /** Database time minus monotonic time. */
  private offset = 0;
  /** How wrong the offset may have been when it was measured: half of the round trip. */
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

  /** How far this machine's clock is ahead of the database's, in milliseconds. */
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

  /** A measurement is used unless the last one is still the more exact: a reply may have waited behind a slow statement. */
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
      // While the database cannot be reached, the monotonic clock carries the time on.
      await this.synchronize().catch(() => {});
      if (this.timer !== undefined) this.scheduleSync();
    }, SYNC_EVERY_MS).unref();
  }
}
