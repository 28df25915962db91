import type { Budgets, CallKind, Spender, Verdict } from './budgets.js';
import type { DailyUploads } from './daily-uploads.js';
import type { Counted, SpenderWindows } from './spender-windows.js';

/** Counts what this process accepts. With several processes and no Redis, each keeps to its share of the limits. */
export class InMemoryBudgets implements Budgets {
  constructor(
    private readonly windows: SpenderWindows,
    private readonly dailyUploads: DailyUploads,
    private readonly processes: () => number = () => 1,
  ) {}

  spend(spender: Spender, kind: CallKind): Verdict | Promise<Verdict> {
    const now = this.windows.now();
    const processes = this.processes();
    const counted = this.windows.countedFor(spender, kind);
    const minute = take(counted, now, processes);
    return kind === 'upload'
      ? withDay(this.dailyUploads, spender, minute, () => release(counted, now))
      : minute;
  }

  async check(): Promise<'ok'> {
    return 'ok';
  }

  close(): void {
    this.windows.close();
  }
}

/**
 * The day's uploads are counted in the database, after the minute was: two calls that wait for the database at once
 * must not both take the last free place. What the day refuses is taken back from the minute.
 */
export async function withDay(
  dailyUploads: DailyUploads,
  spender: Spender,
  minute: Verdict,
  takeBack: () => void,
): Promise<Verdict> {
  if (!minute.accepted) {
    // A minute's refusal must not promise what the day will refuse.
    const day = await dailyUploads.look(spender);
    return day.accepted || day.resetMs < minute.resetMs ? minute : day;
  }
  const day = await dailyUploads.spend(spender).catch((error: unknown) => {
    takeBack();
    throw error;
  });
  if (!day.accepted) takeBack();
  return day.accepted && minute.remaining <= day.remaining ? minute : day;
}

export function release(counted: Counted[], time: number): void {
  for (const { window } of counted) window.takeBack(time);
}

/** All of the windows, or none. The verdict describes the one that is nearest to its limit. */
function take(counted: Counted[], now: number, processes: number): Verdict {
  const shareOf = (limit: number) => Math.max(1, Math.floor(limit / processes));
  let refused: Verdict | undefined;
  for (const { window, limit } of counted) {
    const wait = window.waitMs(shareOf(limit), now);
    if (wait > (refused?.resetMs ?? 0)) refused = { accepted: false, limit, remaining: 0, resetMs: wait };
  }
  if (refused) return refused;
  let tightest: Verdict | undefined;
  for (const { window, limit } of counted) {
    window.add(now);
    const remaining = shareOf(limit) - window.used(now);
    if (!tightest || remaining < tightest.remaining)
      tightest = { accepted: true, limit, remaining, resetMs: window.freesInMs(now) };
  }
  return tightest as Verdict;
}
