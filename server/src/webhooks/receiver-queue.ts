import type { Claimed } from './claim.js';
import type { Slots } from './slots.js';

// A receiver gets one more delivery at a time for each quick answer: a burst would make it slow, or us.
const MOST_SLOTS = 16;
const FEWEST_SLOTS = 2;
const LONGEST = 256;
/** A queue that was full asks for more when it is this short, so that each claim finds much. */
const SHORT = 64;
const LONGEST_WHEN_SLOW = 4;
const SLOW_MS = 1_000;
/** A queue is no longer than what is sent in this time, because the leases run. */
const QUEUE_MS = 4_000;
const MEMORY = 0.3;
/** A queue takes at most this part of the room that is left in the process, so that some is left for others. */
const SHARE = 1 / 8;

/** What a subscription that nothing is known about may have at once. */
export const FIRST_CLAIM = 16;

interface Parts {
  timeoutMs: number;
  /** Concurrent deliveries of the same store and app. */
  slots: Slots;
  /** Sends one and answers how long the receiver took. Never rejects. */
  send(claimed: Claimed): Promise<number>;
  /** The lease still covers an attempt. */
  isInTime(claimed: Claimed): boolean;
  /** These will not be sent by this process. */
  release(claimed: Claimed[]): void;
  /** A queue that was full has room again. */
  onRoom(): void;
}

/**
 * The deliveries of one subscription that this process has claimed, and how its receiver answers.
 *
 * It is in one of three states. New: nothing is known, two are sent at a time. Quick: the average answer takes less than
 * a second; each answer allows one more at a time, up to sixteen. Slow: two at a time, and no more than four wait here,
 * so that what a dead receiver is owed stays in the database, where nobody touches it. A slow receiver that answers
 * quickly again is quick at once.
 */
export class ReceiverQueue {
  private waiting: Claimed[] = [];
  private sending = 0;
  private most = FEWEST_SLOTS;
  private averageMs: number | undefined;
  private isFull = false;
  private stopped = false;
  private readonly slowMs: number;

  constructor(private readonly parts: Parts) {
    this.slowMs = Math.min(SLOW_MS, parts.timeoutMs / 2);
  }

  get inFlight(): number {
    return this.sending;
  }

  get isIdle(): boolean {
    return this.sending === 0 && this.waiting.length === 0;
  }

  /** How many more to claim for it, while the process has room for this many. */
  wanted(room: number): number {
    const longest = this.isSlow
      ? LONGEST_WHEN_SLOW
      : Math.min(LONGEST, this.sendableIn(QUEUE_MS), Math.floor(room * SHARE));
    const count = this.waiting.length;
    const wants = count < longest && !(this.isFull && count > this.short);
    this.isFull = !wants;
    return wants ? longest - count : 0;
  }

  add(claimed: Claimed[]): void {
    this.waiting.push(...claimed);
    this.fill();
  }

  /** Sends nothing more; what is being sent is finished. Answers what was waiting. */
  stop(): Claimed[] {
    this.stopped = true;
    return this.waiting.splice(0);
  }

  fill(): void {
    const late: Claimed[] = [];
    while (
      !this.stopped &&
      this.waiting.length > 0 &&
      this.sending < this.most &&
      this.parts.slots.take(this)
    ) {
      const next = this.waiting.shift() as Claimed;
      if (this.parts.isInTime(next)) {
        void this.send(next);
      } else {
        // Another worker may claim it at any time; it must not be sent from here too.
        this.parts.slots.give();
        late.push(next);
      }
    }
    if (late.length > 0) this.parts.release(late);
  }

  private async send(claimed: Claimed): Promise<void> {
    this.sending++;
    this.learn(await this.parts.send(claimed));
    this.sending--;
    this.parts.slots.give();
    if (this.isSlow && this.waiting.length > LONGEST_WHEN_SLOW)
      this.parts.release(this.waiting.splice(LONGEST_WHEN_SLOW));
    this.fill();
    if (this.isFull && this.waiting.length <= this.short) this.parts.onRoom();
  }

  private learn(durationMs: number): void {
    const before = this.averageMs ?? 0;
    this.averageMs = before + (durationMs - before) * MEMORY;
    this.most = this.isSlow ? FEWEST_SLOTS : Math.min(this.most + 1, MOST_SLOTS);
  }

  private get short(): number {
    return this.isSlow ? LONGEST_WHEN_SLOW / 2 : SHORT;
  }

  private get isSlow(): boolean {
    return this.averageMs !== undefined && this.averageMs >= this.slowMs;
  }

  private sendableIn(milliseconds: number): number {
    if (this.averageMs === undefined) return FIRST_CLAIM;
    return Math.floor((this.most * milliseconds) / Math.max(1, this.averageMs));
  }
}
