/**
 * When each accepted call was made, oldest first, and no more than the window holds. Exact: of any `windowMs` long
 * stretch of time, at most `limit` calls were accepted. (Counters per minute or leaky buckets let up to twice as many
 * through around a boundary.)
 */
export class RollingWindow {
  private times: number[] = [];
  private head = 0;

  constructor(private readonly windowMs: number) {}

  /** Milliseconds until one more call fits under `limit`; 0 when it fits now. */
  waitMs(limit: number, now: number): number {
    this.forget(now);
    const used = this.times.length - this.head;
    if (used < limit) return 0;
    return this.times[this.times.length - limit]! + this.windowMs - now;
  }

  add(now: number): void {
    this.times.push(now);
  }

  /** Takes back the newest call: it was refused for another reason after it had been counted here. */
  takeBack(time: number): void {
    const index = this.times.lastIndexOf(time);
    if (index >= this.head) this.times.splice(index, 1);
  }

  used(now: number): number {
    this.forget(now);
    return this.times.length - this.head;
  }

  /** When the calls after `start` were made. */
  timesSince(start: number): number[] {
    return this.times.slice(this.head).filter((time) => time > start);
  }

  /** Milliseconds until the oldest call leaves the window; 0 when there is none. */
  freesInMs(now: number): number {
    this.forget(now);
    return this.head < this.times.length ? this.times[this.head]! + this.windowMs - now : 0;
  }

  private forget(now: number): void {
    while (this.head < this.times.length && this.times[this.head]! <= now - this.windowMs) this.head++;
    // Moving the array is paid for once in many calls.
    if (this.head > 64 && this.head * 2 > this.times.length) {
      this.times = this.times.slice(this.head);
      this.head = 0;
    }
  }
}
