/** Thrown when too many passwords are already waiting to be hashed. */
export class HashingBusy extends Error {
  constructor() {
    super('Too many passwords are waiting to be hashed');
  }
}

interface Waiting {
  isFirst: boolean;
  begin(): void;
}

/**
 * Limits concurrent password hashes and queues a few more. Node hashes in the four threads that also read files: four
 * simultaneous sign-ins delayed a static file by two seconds. Browsers known to the account have priority and
 * separate places in the queue, so that a flood of guesses does not lock out the owner.
 */
export class HashingTurns {
  private running = 0;
  private readonly waiting: Waiting[] = [];

  constructor(
    private readonly maxRunning: number,
    private readonly maxWaiting: number,
    private readonly maxWaitingFirst: number,
  ) {}

  async run<T>(work: () => Promise<T>, isFirst = false): Promise<T> {
    if (this.running < this.maxRunning) this.running++;
    else await this.wait(isFirst);
    try {
      return await work();
    } finally {
      // The slot is passed directly to the next waiter, so that a new caller cannot take it first.
      const next = this.waiting.shift();
      if (next) next.begin();
      else this.running--;
    }
  }

  private wait(isFirst: boolean): Promise<void> {
    const first = this.waiting.filter((waiter) => waiter.isFirst).length;
    const isFull = isFirst ? first >= this.maxWaitingFirst : this.waiting.length - first >= this.maxWaiting;
    if (isFull) return Promise.reject(new HashingBusy());
    return new Promise((begin) => {
      this.waiting.splice(isFirst ? first : this.waiting.length, 0, { isFirst, begin });
    });
  }
}
