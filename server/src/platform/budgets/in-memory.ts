import type { Clock } from '../clock.js';
import {
  type Budgets,
  type CallKind,
  MINUTE_MS,
  type Spender,
  UPLOADS_PER_MINUTE,
  type Verdict,
} from './budgets.js';
import type { DailyUploads } from './daily-uploads.js';
import { RollingWindow } from './rolling-window.js';

interface Windows {
  calls: RollingWindow;
  uploads: RollingWindow | undefined;
}

export class InMemoryBudgets implements Budgets {
  private readonly spenders = new Map<string, Windows>();
  private readonly sweeper = setInterval(() => this.sweep(), MINUTE_MS).unref();

  constructor(
    private readonly clock: Clock,
    private readonly dailyUploads: DailyUploads,
  ) {}

  spend(spender: Spender, kind: CallKind): Verdict | Promise<Verdict> {
    const now = this.clock.monotonic();
    const windows = this.windowsOf(spender);
    if (kind === 'upload') return this.spendUpload(spender, windows, now);
    return take([{ window: windows.calls, limit: spender.perMinute }], now);
  }

  async check(): Promise<'ok'> {
    return 'ok';
  }

  close(): void {
    clearInterval(this.sweeper);
  }

  private async spendUpload(spender: Spender, windows: Windows, now: number): Promise<Verdict> {
    windows.uploads ??= new RollingWindow(MINUTE_MS);
    const counted = [
      { window: windows.calls, limit: spender.perMinute },
      { window: windows.uploads, limit: UPLOADS_PER_MINUTE },
    ];
    // The minutes are counted before the day is asked for: two calls that wait for the database at once must not both
    // see the last free slot.
    const minute = take(counted, now);
    if (!minute.accepted) return this.untilAllAllow(spender, minute);
    const day = await this.dailyUploads.spend(spender).catch((error: unknown) => {
      for (const { window } of counted) window.takeBack(now);
      throw error;
    });
    if (!day.accepted) for (const { window } of counted) window.takeBack(now);
    return day.accepted && minute.remaining <= day.remaining ? minute : day;
  }

  /** A minute's refusal must not promise what the day will refuse. */
  private async untilAllAllow(spender: Spender, minute: Verdict): Promise<Verdict> {
    const day = await this.dailyUploads.look(spender);
    return day.accepted || day.resetMs < minute.resetMs ? minute : day;
  }

  private windowsOf({ name }: Spender): Windows {
    let windows = this.spenders.get(name);
    if (!windows) {
      windows = { calls: new RollingWindow(MINUTE_MS), uploads: undefined };
      this.spenders.set(name, windows);
    }
    return windows;
  }

  /** Spenders that were silent for a minute are as good as new ones. */
  private sweep(): void {
    const now = this.clock.monotonic();
    for (const [key, { calls, uploads }] of this.spenders) {
      if (calls.used(now) === 0 && (uploads?.used(now) ?? 0) === 0) this.spenders.delete(key);
    }
  }
}

/** All of the windows, or none. The verdict tells of the one that is nearest to its end. */
function take(counted: { window: RollingWindow; limit: number }[], now: number): Verdict {
  let refused: Verdict | undefined;
  for (const { window, limit } of counted) {
    const wait = window.waitMs(limit, now);
    if (wait > (refused?.resetMs ?? 0)) refused = { accepted: false, limit, remaining: 0, resetMs: wait };
  }
  if (refused) return refused;
  let tightest: Verdict | undefined;
  for (const { window, limit } of counted) {
    window.add(now);
    const remaining = limit - window.used(now);
    if (!tightest || remaining < tightest.remaining) {
      tightest = { accepted: true, limit, remaining, resetMs: window.freesInMs(now) };
    }
  }
  return tightest as Verdict;
}
