import { RollingWindow } from '../platform/budgets/rolling-window.js';
import type { Clock } from '../platform/clock.js';

const MAX_KEYS = 10_000;

/** Limits how often something is requested for the same key, such as a client network. Each process counts on its own. */
export class RequestLimit {
  /** Ordered by last request. Above MAX_KEYS, the key whose last request is oldest is removed. */
  private readonly windows = new Map<string, RollingWindow>();

  constructor(
    private readonly clock: Clock,
    private readonly limit: number,
    private readonly windowMs: number,
  ) {}

  /** Counts the request and returns undefined if it is accepted. A rejected request is not counted. */
  refuse(key: string): { retryAfterSeconds: number } | undefined {
    const now = this.clock.monotonic();
    const window = this.windows.get(key) ?? new RollingWindow(this.windowMs);
    this.windows.delete(key);
    this.windows.set(key, window);
    if (this.windows.size > MAX_KEYS) this.windows.delete(this.windows.keys().next().value as string);
    const wait = window.waitMs(this.limit, now);
    if (wait > 0) return { retryAfterSeconds: Math.ceil(wait / 1000) };
    window.add(now);
    return undefined;
  }
}
