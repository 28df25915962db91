/**
 * Writes in the background, one batch at a time: while one is written, the next one collects, so batches grow with
 * the load and never more than one connection is used. `write` handles its own failures.
 */
export class Batches<T> {
  private readonly waiting: T[] = [];
  private writing: Promise<void> | undefined;

  constructor(
    private readonly most: number,
    private readonly write: (batch: T[]) => Promise<void>,
  ) {}

  add(entries: T[]): void {
    this.waiting.push(...entries);
    if (this.waiting.length > 0) this.writing ??= this.run();
  }

  /** Resolves when nothing is waiting. */
  async idle(): Promise<void> {
    await this.writing;
  }

  private async run(): Promise<void> {
    // Collects everything that finishes in the same turn of the event loop.
    await Promise.resolve();
    while (this.waiting.length > 0) await this.write(this.waiting.splice(0, this.most));
    this.writing = undefined;
  }
}
