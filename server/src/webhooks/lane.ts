import type { Claimed } from './claim.js';

// A receiver that answers quickly may be sent many at a time. One that keeps us waiting, or of which nothing is known
// yet, holds two sockets and no more, however much it is owed.
const MOST_SLOTS = 16;
const FEWEST_SLOTS = 2;
const LONGEST_QUEUE = 256;
const SLOW_QUEUE = 4;
const SLOW_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const LONGEST_WAIT_UNKNOWN_MS = 5_000;
const MEMORY = 0.3;
// Of the room that is left in the process a lane takes no more than an eighth: so some is left however many lanes are
// full, and a receiver that was quiet always finds it.
const SHARE = 1 / 8;

/** What one subscription has under way in this process, and how its receiver has answered. */
export class Lane {
  readonly queue: Claimed[] = [];
  inFlight = 0;
  /** Work was left in the database for want of room here. */
  starved = false;
  private averageMs: number | undefined;
  private tailAt = 0;

  get isSlow(): boolean {
    return this.averageMs !== undefined && this.averageMs >= SLOW_MS;
  }

  /** It has answered, and quickly. */
  get isQuick(): boolean {
    return this.averageMs !== undefined && this.averageMs < SLOW_MS;
  }

  get isIdle(): boolean {
    return this.inFlight === 0 && this.queue.length === 0;
  }

  get hasSlot(): boolean {
    return this.inFlight < this.slots;
  }

  /** `room` is what the process can still hold for lanes like this one. */
  isFull(room: number): boolean {
    if (this.isIdle) return room <= 0;
    return this.queue.length >= Math.min(this.longestQueue, Math.floor(room * SHARE));
  }

  /** Is there room again for what was left behind? Asked after each answer; half empty is soon enough. */
  get wantsMore(): boolean {
    return this.starved && this.queue.length * 2 <= this.longestQueue;
  }

  /** Takes back what a lane that has just become slow cannot send within its lease. */
  surplus(): Claimed[] {
    return this.queue.splice(this.longestQueue);
  }

  answered(durationMs: number): void {
    this.averageMs =
      this.averageMs === undefined ? durationMs : this.averageMs + (durationMs - this.averageMs) * MEMORY;
  }

  /**
   * When a delivery that found no room should come back: behind those that were put back before it, at the pace the
   * receiver answers. So a backlog is touched about once a row, and not at every look for work.
   */
  comeBackIn(now: number): number {
    const longest = this.isSlow ? LONGEST_WAIT_MS : LONGEST_WAIT_UNKNOWN_MS;
    this.tailAt = Math.max(this.tailAt, now) + (this.averageMs ?? SLOW_MS) / this.slots;
    const wait = this.tailAt - now;
    return wait <= longest ? wait : longest * (0.5 + Math.random() / 2);
  }

  private get slots(): number {
    return this.isQuick ? MOST_SLOTS : FEWEST_SLOTS;
  }

  private get longestQueue(): number {
    return this.isSlow ? SLOW_QUEUE : LONGEST_QUEUE;
  }
}
