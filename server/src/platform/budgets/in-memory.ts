import type { Budgets, CallKind, Spender, Verdict } from './budgets.js';
import type { DailyUploads } from './daily-uploads.js';
import type { Counted, SpenderWindows } from './spender-windows.js';

/**
 * Counts only the calls that this process accepts, and divides each limit per minute by `processes`. If Redis is not
 * configured, `processes` is 1. Otherwise it is the last known number of processes that share Redis, or 4 if Redis has
 * never been reached.
 */
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
      ? withDay(this.dailyUploads, spender, minute, () => releaseCalls(counted, now))
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
 * Counts an upload against the daily limit in the database, after the caller has counted it against the limits per
 * minute. In this order, two calls that wait for the database at the same time cannot both take the last slot of the
 * minute. If the daily limit rejects the call, or the database fails, `takeBack` removes it from the minute.
 */
export async function withDay(
  dailyUploads: DailyUploads,
  spender: Spender,
  minute: Verdict,
  takeBack: () => void,
): Promise<Verdict> {
  if (!minute.accepted) {
    // Report the daily limit if its wait is longer: a client that retries after the minute would be rejected again.
    const day = await dailyUploads.peek(spender);
    return day.accepted || day.resetMs < minute.resetMs ? minute : day;
  }
  const day = await dailyUploads.spend(spender).catch((error: unknown) => {
    takeBack();
    throw error;
  });
  if (!day.accepted) takeBack();
  return day.accepted && minute.remaining <= day.remaining ? minute : day;
}

export function releaseCalls(counted: Counted[], time: number): void {
  for (const { window } of counted) window.takeBack(time);
}

/** Counts the call in all windows, or in none if one of them is full. */
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
