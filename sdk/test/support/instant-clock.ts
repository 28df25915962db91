import type { Clock } from '../../src/clock.js';

/** A clock on which sleeping takes no time. It advances by the requested time and records it. */
export class InstantClock implements Clock {
  readonly waits: number[] = [];
  private time = Date.parse('2026-11-01T12:00:00Z');

  now(): number {
    return this.time;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.waits.push(ms);
    this.time += ms;
  }
}
