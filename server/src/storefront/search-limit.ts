import { RollingWindow } from '../platform/budgets/rolling-window.js';
import type { Clock } from '../platform/clock.js';

const SEARCHES_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const MOST_NETWORKS = 10_000;

/** How many searches one client network may make in all shops together. Each process counts on its own. */
export class SearchLimit {
  /** The network that searched least recently comes first, and is forgotten first. */
  private readonly windows = new Map<string, RollingWindow>();

  constructor(private readonly clock: Clock) {}

  /** Undefined when the search is accepted and counted. Refused searches are not counted. */
  refuse(network: string): { retryAfterSeconds: number } | undefined {
    const now = this.clock.monotonic();
    const window = this.windows.get(network) ?? new RollingWindow(MINUTE_MS);
    this.windows.delete(network);
    this.windows.set(network, window);
    if (this.windows.size > MOST_NETWORKS) this.windows.delete(this.windows.keys().next().value as string);
    const wait = window.waitMs(SEARCHES_PER_MINUTE, now);
    if (wait > 0) return { retryAfterSeconds: Math.ceil(wait / 1000) };
    window.add(now);
    return undefined;
  }
}
