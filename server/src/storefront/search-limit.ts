import { RollingWindow } from '../platform/budgets/rolling-window.js';
import type { Clock } from '../platform/clock.js';

const SEARCHES_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const MAX_NETWORKS = 10_000;

/** Limits the searches of one client network across all shops. Each process counts on its own. */
export class SearchLimit {
  /** Ordered by last search; the oldest network is removed first. */
  private readonly windows = new Map<string, RollingWindow>();

  constructor(private readonly clock: Clock) {}

  /** Returns undefined if the search is accepted and counted. Rejected searches are not counted. */
  refuse(network: string): { retryAfterSeconds: number } | undefined {
    const now = this.clock.monotonic();
    const window = this.windows.get(network) ?? new RollingWindow(MINUTE_MS);
    this.windows.delete(network);
    this.windows.set(network, window);
    if (this.windows.size > MAX_NETWORKS) this.windows.delete(this.windows.keys().next().value as string);
    const wait = window.waitMs(SEARCHES_PER_MINUTE, now);
    if (wait > 0) return { retryAfterSeconds: Math.ceil(wait / 1000) };
    window.add(now);
    return undefined;
  }
}
