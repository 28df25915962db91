import type { Clock } from '../../src/platform/clock.js';

/** A clock that follows the real time until a test moves or stops it. */
export class MovableClock implements Clock {
  private moved = 0;
  private stopped: { now: number; monotonic: number } | undefined;

  now(): number {
    return (this.stopped?.now ?? Date.now()) + this.moved;
  }

  monotonic(): number {
    return (this.stopped?.monotonic ?? performance.now()) + this.moved;
  }

  /** Stops the clock, so that only `forward` moves it. Call this for assertions that are exact to the millisecond. */
  stop(): void {
    this.stopped = { now: Date.now(), monotonic: Math.floor(performance.now()) };
  }

  forward(milliseconds: number): void {
    this.moved += milliseconds;
  }
}
