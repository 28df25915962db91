import type { Clock } from '../clock.js';
import { type CallKind, MINUTE_MS, type Spender, UPLOADS_PER_MINUTE } from './budgets.js';
import { RollingWindow } from './rolling-window.js';

export type WindowName = 'calls' | 'uploads';

/** A window that a call counts against, with its limit. */
export interface Counted {
  name: WindowName;
  window: RollingWindow;
  limit: number;
}

/** The calls that this process has accepted within the last minute, by spender (a store and an app). */
export class SpenderWindows {
  private readonly spenders = new Map<string, Partial<Record<WindowName, RollingWindow>>>();
  private readonly sweeper = setInterval(() => this.sweep(), MINUTE_MS).unref();
  private last = Number.NEGATIVE_INFINITY;

  /** With `areTimesUnique`, no two calls have the same time, so the time identifies the call. */
  constructor(
    private readonly clock: Clock,
    private readonly areTimesUnique = false,
  ) {}

  now(): number {
    if (!this.areTimesUnique) return this.clock.monotonic();
    this.last = Math.max(this.clock.monotonic(), this.last + 0.001);
    return this.last;
  }

  countedFor({ name: spender, perMinute }: Spender, kind: CallKind): Counted[] {
    const calls = { name: 'calls', window: this.windowOf(spender, 'calls'), limit: perMinute } as const;
    if (kind === 'call') return [calls];
    const window = this.windowOf(spender, 'uploads');
    return [calls, { name: 'uploads', window, limit: UPLOADS_PER_MINUTE }];
  }

  *all(): Iterable<{ spender: string; name: WindowName; window: RollingWindow }> {
    for (const [spender, windows] of this.spenders)
      for (const [name, window] of Object.entries(windows))
        yield { spender, name: name as WindowName, window };
  }

  close(): void {
    clearInterval(this.sweeper);
  }

  private windowOf(spender: string, name: WindowName): RollingWindow {
    let windows = this.spenders.get(spender);
    if (!windows) {
      windows = {};
      this.spenders.set(spender, windows);
    }
    windows[name] ??= new RollingWindow(MINUTE_MS);
    return windows[name];
  }

  /** Removes spenders without a call in the last minute. */
  private sweep(): void {
    const now = this.clock.monotonic();
    for (const [spender, windows] of this.spenders)
      if (Object.values(windows).every((window) => window.used(now) === 0)) this.spenders.delete(spender);
  }
}
