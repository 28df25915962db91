import type { Claimed } from './claim.js';
import type { Slots } from './slots.js';

// Each fast response allows one more concurrent delivery. A sudden burst could overload the receiver or us.
const MOST_SLOTS = 16;
const FEWEST_SLOTS = 2;
const LONGEST = 256;
/** A full queue requests more deliveries when it is this short, so that each claim finds many. */
const SHORT = 64;
const LONGEST_WHEN_SLOW = 4;
const SLOW_MS = 1_000;
/** A queue holds at most what can be sent in this time, because the leases are running. */
const QUEUE_MS = 4_000;
const MEMORY = 0.3;
/** A queue takes at most this part of the free capacity of the process. */
const SHARE = 1 / 8;

/** The maximum number of deliveries of a new subscription. */
export const FIRST_CLAIM = 16;

interface Parts {
  timeoutMs: number;
  /** The concurrent deliveries of the same store and app. */
  slots: Slots;
  /** Sends a delivery and returns the response time. Never rejects. */
  send(claimed: Claimed): Promise<number>;
  /** Returns whether the lease still covers an attempt. */
  isInTime(claimed: Claimed): boolean;
  /** These deliveries will not be sent by this process. */
  release(claimed: Claimed[]): void;
  /** Called when a full queue has room again. */
  onRoom(): void;
}

/**
 * The claimed deliveries of one subscription, and the speed of its receiver, in three states. New: nothing is known,
 * and two deliveries are sent at a time. Fast: the average response takes less than a second; each response allows
 * one more at a time, up to sixteen. Slow: two at a time, and at most four wait here, so that the backlog of a dead
 * receiver stays in the database. A slow receiver that responds quickly again becomes fast immediately.
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

  /** The number of deliveries to claim, if the process has this much free capacity. */
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

  /** Stops sending. Deliveries that are being sent are completed; waiting ones are returned. */
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
        // Another worker may claim it at any time, so it must not be sent from here.
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
