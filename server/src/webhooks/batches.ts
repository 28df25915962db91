/**
 * Writes behind the scenes, one batch at a time: while one is being written the next gathers, so the busier it is, the
 * larger the batches, and never more than one connection is held. `write` deals with its own failures.
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

  /** Nothing waits any more. */
  async idle(): Promise<void> {
    await this.writing;
  }

  private async run(): Promise<void> {
    // What ends in the same turn goes together.
    await Promise.resolve();
    while (this.waiting.length > 0) await this.write(this.waiting.splice(0, this.most));
    this.writing = undefined;
  }
}
