/**
 * The times of the accepted calls, oldest first, within the window. The limit is exact: if calls are added only when
 * waitMs() returns 0, any period of `windowMs` contains at most `limit` of them. (A counter per minute or a leaky
 * bucket accepts up to twice as many in some periods.)
 */
export class RollingWindow {
  private times: number[] = [];
  private head = 0;

  constructor(private readonly windowMs: number) {}

  /** Returns the milliseconds until another call is accepted under `limit`, or 0 if it is accepted now. */
  waitMs(limit: number, now: number): number {
    this.forget(now);
    const used = this.times.length - this.head;
    if (used < limit) return 0;
    return this.times[this.times.length - limit]! + this.windowMs - now;
  }

  add(now: number): void {
    this.times.push(now);
  }

  /** Removes a call that was counted at `time` and rejected afterwards, for example by another limit. */
  takeBack(time: number): void {
    const index = this.times.lastIndexOf(time);
    if (index >= this.head) this.times.splice(index, 1);
  }

  used(now: number): number {
    this.forget(now);
    return this.times.length - this.head;
  }

  /** Returns the times of the calls after `start`. */
  timesSince(start: number): number[] {
    return this.times.slice(this.head).filter((time) => time > start);
  }

  /** Returns the time of the newest call, if it is after `start`. */
  newestSince(start: number): number | undefined {
    const newest = this.head < this.times.length ? this.times.at(-1) : undefined;
    return newest !== undefined && newest > start ? newest : undefined;
  }

  /** Returns the milliseconds until the oldest call leaves the window, or 0 if there is none. */
  freesInMs(now: number): number {
    this.forget(now);
    return this.head < this.times.length ? this.times[this.head]! + this.windowMs - now : 0;
  }

  private forget(now: number): void {
    while (this.head < this.times.length && this.times[this.head]! <= now - this.windowMs) this.head++;
    // Compact the array rarely, because each compaction copies it.
    if (this.head > 64 && this.head * 2 > this.times.length) {
      this.times = this.times.slice(this.head);
      this.head = 0;
    }
  }
}
