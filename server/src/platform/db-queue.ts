import type pg from 'pg';

/** Shared by pools whose users wait for the same thing. */
export type Waiting = Set<(error: Error) => void>;

/**
 * The queue before a pool whose users wait for the same thing. When that hangs, each connection comes free only after
 * somebody's patience has run out, and whoever waited for it would begin to wait anew: so the first who gives up gives up
 * for all that wait.
 */
export class Queue {
  constructor(
    private readonly connect: () => Promise<pg.PoolClient>,
    private readonly waiting: Waiting,
  ) {}

  take(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      this.connect().then(
        (client) => {
          // Not there any more: it has been told no, and the connection goes to the next.
          if (this.waiting.delete(reject)) resolve(client);
          else client.release();
        },
        (error: Error) => {
          this.waiting.delete(reject);
          reject(error);
        },
      );
    });
  }

  giveUp(error: Error): void {
    for (const reject of this.waiting) reject(error);
    this.waiting.clear();
  }
}
