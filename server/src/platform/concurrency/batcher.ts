interface Pending<Request, Result> {
  request: Request;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

/**
 * A statement that takes longer than this is probably waiting for a lock or behind a slow statement, so the next batch
 * is sent without waiting for it.
 */
export const SLOW_MS = 20;

/**
 * Combines requests that arrive at the same time into one statement, because a small statement costs nearly the same
 * for one row as for several. A result may itself be a promise, for requests that the combined statement could not
 * handle.
 */
export class Batcher<Request, Result> {
  private readonly waiting: Pending<Request, Result>[] = [];
  private running = 0;
  private scheduled = false;

  /**
   * `maxRunning` limits concurrent statements. While that many are running, further requests are collected for the next
   * batch. Use 3 for reads of records, which share a connection, and 2 for writes, which share the disk.
   *
   * `maxBatchSize`: use 12 for reads of records. With 32, their throughput was a fifth lower than with 8, because the
   * process and PostgreSQL took turns instead of working in parallel. With 12 instead of 8, a read takes 3% less of the
   * process and 12% less of PostgreSQL, and throughput is the same or higher.
   */
  constructor(
    private readonly maxRunning: number,
    private readonly maxBatchSize: number,
    private readonly execute: (requests: Request[]) => Promise<(Result | Promise<Result>)[]>,
    /** After this time, a statement no longer counts against `maxRunning`. With 'never', it counts until it ends. */
    private readonly slowMs: number | 'never' = SLOW_MS,
    /**
     * While another batch is running, a batch starts only when at least this many requests wait. A request that arrives
     * while no batch is running is executed at once.
     */
    private readonly minSizeBesideAnother = 1,
  ) {}

  submit(request: Request): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      if (this.scheduled) return;
      this.scheduled = true;
      // Runs after all requests of this turn of the event loop have been added.
      setImmediate(() => {
        this.scheduled = false;
        this.next();
      });
    });
  }

  private next(): void {
    while (
      this.running < this.maxRunning &&
      this.waiting.length >= (this.running === 0 ? 1 : this.minSizeBesideAnother)
    )
      void this.run(this.waiting.splice(0, this.maxBatchSize));
  }

  private async run(batch: Pending<Request, Result>[]): Promise<void> {
    let occupiesSlot = true;
    const startNext = () => {
      if (!occupiesSlot) return;
      occupiesSlot = false;
      this.running--;
      this.next();
    };
    this.running++;
    const timer = this.slowMs === 'never' ? undefined : setTimeout(startNext, this.slowMs);
    const outcome = await this.execute(batch.map(({ request }) => request)).catch((error: unknown) => ({
      error,
    }));
    clearTimeout(timer);
    // Start the next batch before resolving this one, so that PostgreSQL is not idle in between.
    startNext();
    batch.forEach(({ resolve, reject }, index) => {
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome[index] as Result | Promise<Result>);
    });
  }
}
