import type { Claimed } from './claim.js';

// A receiver is sent one more at a time for each quick answer: a burst would make it slow, or us. One that keeps us
// waiting, or of which nothing is known yet, holds two sockets and no more, however much it is owed.
const MOST_SLOTS = 16;
const FEWEST_SLOTS = 2;
const LONGEST_QUEUE = 256;
/** Few enough left to ask for more. */
const LOW_QUEUE = 64;
const SLOW_QUEUE = 4;
const SLOW_MS = 1_000;
/** A queue is no longer than what is sent in this time: the leases run. */
const QUEUE_MS = 4_000;
const SHORTEST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;
const MEMORY = 0.3;
// A lane asks for no more while it has an eighth of the room that is left in the process: so some is left however many
// lanes are full, and a receiver that was quiet finds it.
const SHARE = 1 / 8;

/** What one subscription has under way in this process, and how its receiver has answered. */
export class Lane {
  readonly queue: Claimed[] = [];
  inFlight = 0;
  /** Work was left in the database for want of room here. */
  starved = false;
  private slots = FEWEST_SLOTS;
  private averageMs: number | undefined;
  private slowSince: number | undefined;
  private readonly slowMs: number;

  constructor(timeoutMs: number) {
    this.slowMs = Math.min(SLOW_MS, timeoutMs / 2);
  }

  get isSlow(): boolean {
    return this.slowSince !== undefined;
  }

  /** It has answered, and quickly. */
  get isQuick(): boolean {
    return this.averageMs !== undefined && !this.isSlow;
  }

  get isIdle(): boolean {
    return this.inFlight === 0 && this.queue.length === 0;
  }

  get hasSlot(): boolean {
    return this.inFlight < this.slots;
  }

  /** A slow lane holds hardly more than it sends: what else it is owed is put off, so that nobody has to pass over it. */
  get isSlowAndFull(): boolean {
    return this.isSlow && this.queue.length >= SLOW_QUEUE;
  }

  /** Full once its queue is long, and then until it is short: so each look for work finds much or is not made. */
  wantsMore(room: number): boolean {
    const most = this.starved ? LOW_QUEUE : LONGEST_QUEUE;
    const atItsPace = (this.slots * QUEUE_MS) / Math.max(1, this.averageMs ?? 0);
    return this.queue.length < Math.min(most, atItsPace, Math.floor(room * SHARE));
  }

  /** Takes back what a lane that has just become slow cannot send within its lease. */
  surplus(): Claimed[] {
    return this.isSlow ? this.queue.splice(SLOW_QUEUE) : [];
  }

  answered(durationMs: number, now: number): void {
    const before = this.averageMs ?? 0;
    this.averageMs = before + (durationMs - before) * MEMORY;
    const quick = this.averageMs < this.slowMs;
    this.slowSince = quick ? undefined : (this.slowSince ?? now);
    this.slots = quick ? Math.min(this.slots + 1, MOST_SLOTS) : FEWEST_SLOTS;
  }

  /**
   * For how long to put off what finds no room. As long again as the receiver has been slow: a backlog is touched less
   * and less often, and one that was slow for a moment is not punished for a minute. Never quite as long for two, so
   * that what was put off together does not return together.
   */
  putOffMs(now: number): number {
    const slowFor = this.slowSince === undefined ? 0 : now - this.slowSince;
    return Math.min(Math.max(slowFor, SHORTEST_REST_MS), LONGEST_REST_MS);
  }
}
