/** So many passwords wait to be hashed that one more is refused at once. */
export class HashingBusy extends Error {
  constructor() {
    super('Too many passwords wait to be hashed');
  }
}

interface Waiting {
  isFirst: boolean;
  begin(): void;
}

/**
 * Lets a few hashes run at a time and a short queue wait. Node hashes in the four threads that also read files: four
 * sign-ins at once made a static file wait for two seconds. Browsers that are known to the account go first and have
 * places of their own in the queue, so that a flood of guesses keeps no owner out.
 */
export class HashingTurns {
  private running = 0;
  private readonly waiting: Waiting[] = [];

  constructor(
    private readonly mostRunning: number,
    private readonly mostWaiting: number,
    private readonly mostWaitingFirst: number,
  ) {}

  async run<T>(work: () => Promise<T>, isFirst = false): Promise<T> {
    if (this.running < this.mostRunning) this.running++;
    else await this.wait(isFirst);
    try {
      return await work();
    } finally {
      // The place is handed on without being given up, so that nobody who has just come takes it.
      const next = this.waiting.shift();
      if (next) next.begin();
      else this.running--;
    }
  }

  private wait(isFirst: boolean): Promise<void> {
    const first = this.waiting.filter((each) => each.isFirst).length;
    const isFull = isFirst ? first >= this.mostWaitingFirst : this.waiting.length - first >= this.mostWaiting;
    if (isFull) return Promise.reject(new HashingBusy());
    return new Promise((begin) => {
      this.waiting.splice(isFirst ? first : this.waiting.length, 0, { isFirst, begin });
    });
  }
}
