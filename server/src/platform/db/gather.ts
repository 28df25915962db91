interface Asked<Ask, Answer> {
  ask: Ask;
  resolve(answer: Answer | Promise<Answer>): void;
  reject(error: unknown): void;
}

/** A statement that takes this long stands behind something slow: the next ones do not wait for it. */
const LATE_MS = 20;

/**
 * What is asked in the same moment is answered by one statement: most of what a small statement costs is not its rows.
 * An answer may be a promise of its own, for whatever the statement could not do.
 */
export class Gather<Ask, Answer> {
  private readonly waiting: Asked<Ask, Answer>[] = [];
  private running = 0;
  private gathering = false;

  /**
   * `mostRunning`: while one is answered the next ones wait behind it, so that PostgreSQL is never idle and more come
   * together meanwhile. Three for reads, which share a connection; two for writes, which would share the disk.
   * `mostTogether`: with 32 a fifth fewer reads were answered than with 8, because while one side worked on so many, the
   * other had nothing to do. Of writes, whose commit costs the same for any number, twelve are better.
   */
  constructor(
    private readonly mostRunning: number,
    private readonly mostTogether: number,
    private readonly answer: (asks: Ask[]) => Promise<(Answer | Promise<Answer>)[]>,
    /** After this long the next statement no longer waits for a slow one; 'never': it always waits. */
    private readonly lateMs: number | 'never' = LATE_MS,
  ) {}

  ask(ask: Ask): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ ask, resolve, reject });
      if (this.gathering) return;
      this.gathering = true;
      // After what else arrives in this turn of the event loop.
      setImmediate(() => {
        this.gathering = false;
        this.next();
      });
    });
  }

  private next(): void {
    while (this.running < this.mostRunning && this.waiting.length > 0)
      void this.run(this.waiting.splice(0, this.mostTogether));
  }

  private async run(asked: Asked<Ask, Answer>[]): Promise<void> {
    let counts = true;
    const makeRoom = () => {
      if (!counts) return;
      counts = false;
      this.running--;
      this.next();
    };
    this.running++;
    const late = this.lateMs === 'never' ? undefined : setTimeout(makeRoom, this.lateMs);
    const outcome = await this.answer(asked.map(({ ask }) => ask)).catch((error: unknown) => ({ error }));
    clearTimeout(late);
    // Before those that wait are told: PostgreSQL works on the next ones meanwhile.
    makeRoom();
    asked.forEach(({ resolve, reject }, index) => {
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome[index] as Answer | Promise<Answer>);
    });
  }
}
