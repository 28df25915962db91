import { DatabaseUnavailable } from './unavailable.js';

/** A statement that was sent and is not yet answered. */
interface Sent {
  since: number;
  reject(error: Error): void;
}

/**
 * The unanswered statements of one connection in the order in which they were sent, with a deadline for the
 * responses.
 */
export class InFlight<S extends Sent> {
  private readonly sent: S[] = [];
  private timer: NodeJS.Timeout | undefined;
  lastAnswerAt = performance.now();

  /**
   * `onSilence` is called when the oldest statement has waited for `answerMs`. The later statements are still waiting
   * too, because responses arrive in the order of the statements.
   */
  constructor(
    private readonly answerMs: number,
    private readonly onSilence: (error: Error) => void,
  ) {}

  get size(): number {
    return this.sent.length;
  }

  get first(): S | undefined {
    return this.sent[0];
  }

  add(sent: S): void {
    this.sent.push(sent);
    this.timer ??= this.watchFor(this.answerMs);
  }

  answered(): S | undefined {
    this.lastAnswerAt = performance.now();
    return this.sent.shift();
  }

  failAll(cause: Error): void {
    clearTimeout(this.timer);
    const error = new DatabaseUnavailable(cause.message, { cause });
    for (const { reject } of this.sent.splice(0)) reject(error);
  }

  /**
   * A single timer covers all waiting statements. If it fires before the deadline of the oldest statement, it is set
   * again for that deadline.
   */
  private watchFor(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.timer = undefined;
      const [oldest] = this.sent;
      if (!oldest) return;
      const left = oldest.since + this.answerMs - performance.now();
      if (left > 0) this.timer = this.watchFor(left);
      else this.onSilence(new Error(`the database has not answered a statement for ${this.answerMs} ms`));
    }, milliseconds).unref();
  }
}
