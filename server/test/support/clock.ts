import type { Clock } from '../../src/platform/clock.js';

/** Stands at the present until a test moves it. */
export class MovableClock implements Clock {
  private moved = 0;

  now(): number {
    return Date.now() + this.moved;
  }

  monotonic(): number {
    return performance.now() + this.moved;
  }

  forward(milliseconds: number): void {
    this.moved += milliseconds;
  }
}
