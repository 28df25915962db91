import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../clock.js';
import type { Budgets, CallKind, Spender, Verdict } from './budgets.js';
import type { DailyUploads } from './daily-uploads.js';
import { InMemoryBudgets, release, withDay } from './in-memory.js';
import { SharedWindows } from './shared-windows.js';
import { SpenderWindows } from './spender-windows.js';

/** How long a call may wait for Redis before this process decides on its own. */
const PATIENCE_MS = 100;
const JOIN_EVERY_MS = 5_000;
const RECONNECT_MS = 200;
const START_MS = 1_000;
/** Assumed by a process that has not reached Redis since its start and so cannot know how many there are. */
const PROCESSES_ASSUMED = 4;

/**
 * Exact rolling windows that all processes share. Redis may be gone, slow or empty at any time. Every process also
 * remembers the calls that it accepted itself: with them it fills an empty Redis again, and while Redis does not answer
 * it keeps to its share of each limit. So in any minute at most twice the limit is accepted around the loss of Redis,
 * and at most the limit before and after. No call waits longer than 100 ms, and only the first ones wait at all.
 */
export class RedisBudgets implements Budgets {
  private readonly own: SpenderWindows;
  private readonly shared: SharedWindows;
  private readonly alone: InMemoryBudgets;
  private processes = PROCESSES_ASSUMED;
  private isShared = false;
  private decidedAlone = 0;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  private constructor(
    url: string,
    clock: Clock,
    private readonly dailyUploads: DailyUploads,
    private readonly patienceMs: number,
  ) {
    this.own = new SpenderWindows(clock, true);
    this.shared = new SharedWindows(url, clock, this.own);
    this.alone = new InMemoryBudgets(this.own, dailyUploads, () => this.processes);
    this.shared.onLoss(() => this.goAlone());
  }

  /** Waits for Redis for a second at most: a process starts without it, too. */
  static async open(
    url: string,
    clock: Clock,
    dailyUploads: DailyUploads,
    patienceMs = PATIENCE_MS,
  ): Promise<RedisBudgets> {
    const budgets = new RedisBudgets(url, clock, dailyUploads, patienceMs);
    const deadline = performance.now() + START_MS;
    do await budgets.join();
    while (!budgets.isShared && performance.now() < deadline && (await pause(20)));
    return budgets;
  }

  async spend(spender: Spender, kind: CallKind): Promise<Verdict> {
    if (!this.isShared) return this.spendAlone(spender, kind);
    const time = this.own.now();
    const counted = this.own.countedFor(spender, kind);
    let minute: Verdict;
    try {
      minute = await within(this.patienceMs, this.shared.spend(spender.name, counted, time));
    } catch {
      this.goAlone();
      return this.spendAlone(spender, kind);
    }
    if (minute.accepted) for (const { window } of counted) window.add(time);
    if (kind === 'call') return minute;
    return withDay(this.dailyUploads, spender, minute, () => {
      release(counted, time);
      void this.shared.takeBack(spender.name, counted, time).catch(() => {});
    });
  }

  async check(): Promise<'ok' | 'degraded'> {
    return this.isShared ? 'ok' : 'degraded';
  }

  measure(registry: Registry): void {
    const budgets = this;
    new Gauge({
      name: 'feira_budgets_shared',
      help: 'Whether call budgets are counted in Redis (1) or by this process alone (0)',
      registers: [registry],
      collect() {
        this.set(budgets.isShared ? 1 : 0);
      },
    });
    new Gauge({
      name: 'feira_budgets_processes',
      help: 'How many processes share the budgets; without Redis each keeps to its share',
      registers: [registry],
      collect() {
        this.set(budgets.processes);
      },
    });
    new Counter({
      name: 'feira_budgets_decided_alone_total',
      help: 'Calls that this process accepted or refused without Redis',
      registers: [registry],
      collect() {
        this.reset();
        this.inc(budgets.decidedAlone);
      },
    });
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.own.close();
    void this.shared.leave();
  }

  private spendAlone(spender: Spender, kind: CallKind): Verdict | Promise<Verdict> {
    this.decidedAlone++;
    return this.alone.spend(spender, kind);
  }

  private goAlone(): void {
    if (!this.isShared) return;
    this.isShared = false;
    this.joinIn(RECONNECT_MS);
  }

  /** Calls do not try whether Redis is back; this does, in the background. */
  private async join(): Promise<void> {
    try {
      this.processes = Math.max(1, await within(this.patienceMs, this.shared.join()));
      this.isShared = true;
    } catch {
      this.isShared = false;
    }
    this.joinIn(this.isShared ? JOIN_EVERY_MS : RECONNECT_MS);
  }

  private joinIn(milliseconds: number): void {
    clearTimeout(this.timer);
    if (!this.closed) this.timer = setTimeout(() => void this.join(), milliseconds).unref();
  }
}

/** A reply that arrived while this process was busy is still used: it is read before the immediate runs. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(new Error(`Redis did not answer within ${milliseconds} ms`));
    timer = setTimeout(() => setImmediate(giveUp), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}

function pause(milliseconds: number): Promise<true> {
  return new Promise((resolve) => setTimeout(() => resolve(true), milliseconds));
}
