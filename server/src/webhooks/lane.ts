import type { Claimed } from './claim.js';

// A receiver that answers quickly may be sent many at a time. One that keeps us waiting holds two sockets and no more,
// however much it is owed.
const FAST = { slots: 16, queue: 256 };
const SLOW = { slots: 2, queue: 4 };
const SLOW_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const MEMORY = 0.3;

/** What one subscription has under way in this process. */
export class Lane {
  readonly queue: Claimed[] = [];
  inFlight = 0;
  /** Work was left in the database for want of room here. */
  starved = false;
  private averageMs = 0;
  private tailAt = 0;

  get isSlow(): boolean {
    return this.averageMs >= SLOW_MS;
  }

  get isIdle(): boolean {
    return this.inFlight === 0 && this.queue.length === 0;
  }

  get hasSlot(): boolean {
    return this.inFlight < this.limits.slots;
  }

  get isFull(): boolean {
    return this.queue.length >= this.limits.queue;
  }

  /** Is there room again for what was left behind? Asked after each answer; half empty is soon enough. */
  get wantsMore(): boolean {
    return this.starved && this.queue.length * 2 <= this.limits.queue;
  }

  /** Takes back what a lane that has just become slow cannot send within its lease. */
  surplus(): Claimed[] {
    return this.queue.splice(this.limits.queue);
  }

  answered(durationMs: number): void {
    this.averageMs += (durationMs - this.averageMs) * MEMORY;
  }

  /**
   * When a delivery that found no room should come back: behind those that were put back before it, at the pace the
   * receiver answers. So a backlog is touched about once a row, and not at every look for work.
   */
  comeBackIn(now: number): number {
    this.tailAt = Math.max(this.tailAt, now) + this.averageMs / this.limits.slots;
    const wait = this.tailAt - now;
    return wait <= LONGEST_WAIT_MS ? wait : LONGEST_WAIT_MS * (0.5 + Math.random() / 2);
  }

  private get limits(): { slots: number; queue: number } {
    return this.isSlow ? SLOW : FAST;
  }
}
