import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../clock.js';
import type { Budgets, CallKind, Spender, Verdict } from './budgets.js';
import type { DailyUploads } from './daily-uploads.js';
import { InMemoryBudgets, releaseCalls, withDay } from './in-memory.js';
import { SharedWindows } from './shared-windows.js';
import { SpenderWindows } from './spender-windows.js';

/** How long a call waits for Redis before this process decides without it. */
const TIMEOUT_MS = 100;
const JOIN_EVERY_MS = 5_000;
const RECONNECT_MS = 200;
/** Within this time after Redis has lost data, every process adds its own recent calls to Redis again. */
const REFILL_MS = JOIN_EVERY_MS + 1_000;
const START_MS = 1_000;
/** The number of processes to assume until Redis has been reached for the first time. */
const PROCESSES_ASSUMED = 4;

/**
 * Exact rolling windows shared by all processes. Redis may be unavailable, slow or empty at any time, so every process
 * also remembers the calls it accepted, and uses them to refill an empty Redis. While Redis does not respond, each
 * process enforces its share of each limit. At most the limit is accepted per minute, with two exceptions: up to twice
 * the limit if an outage begins or ends in that minute, and more than the limit if processes are started during an
 * outage. A call waits at most 100 ms for Redis. After a timeout, calls are decided without Redis until it answers
 * again.
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
    private readonly timeoutMs: number,
  ) {
    this.own = new SpenderWindows(clock, true);
    this.shared = new SharedWindows(url, clock, this.own);
    this.alone = new InMemoryBudgets(this.own, dailyUploads, () => this.processes);
    this.shared.onLoss(() => this.switchToLocal());
  }

  /** Waits at most about one second for Redis. The process starts even if Redis is unavailable. */
  static async open(
    url: string,
    clock: Clock,
    dailyUploads: DailyUploads,
    timeoutMs = TIMEOUT_MS,
  ): Promise<RedisBudgets> {
    const budgets = new RedisBudgets(url, clock, dailyUploads, timeoutMs);
    const deadline = performance.now() + START_MS;
    do await budgets.join();
    while (!budgets.isShared && performance.now() < deadline && (await pause(20)));
    return budgets;
  }

  async spend(spender: Spender, kind: CallKind): Promise<Verdict> {
    if (!this.isShared) return this.spendLocally(spender, kind);
    const time = this.own.now();
    const counted = this.own.countedFor(spender, kind);
    let minute: Verdict | undefined;
    try {
      minute = await within(this.timeoutMs, this.shared.spend(spender.name, counted, time));
      if (!minute) this.refillAlone();
    } catch {
      this.switchToLocal();
    }
    if (!minute) return this.spendLocally(spender, kind);
    if (minute.accepted) for (const { window } of counted) window.add(time);
    if (kind === 'call') return minute;
    return withDay(this.dailyUploads, spender, minute, () => {
      releaseCalls(counted, time);
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
      help: 'Number of processes that share the budgets. Without Redis, each enforces its share',
      registers: [registry],
      collect() {
        this.set(budgets.processes);
      },
    });
    new Counter({
      name: 'feira_budgets_decided_alone_total',
      help: 'Calls that this process accepted or rejected without Redis',
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

  private spendLocally(spender: Spender, kind: CallKind): Verdict | Promise<Verdict> {
    this.decidedAlone++;
    return this.alone.spend(spender, kind);
  }

  private switchToLocal(rejoinInMs = RECONNECT_MS): void {
    if (!this.isShared) return;
    this.isShared = false;
    this.joinIn(rejoinInMs);
  }

  /**
   * Called when Redis has lost counted calls. This process enforces its share alone until every process has had time to
   * add its calls again.
   */
  private refillAlone(): void {
    this.switchToLocal(REFILL_MS);
    void this.shared.refill().catch(() => {});
  }

  /**
   * Reports this process to Redis and sends its earlier calls there (the refill). New calls are counted in Redis at
   * once, without waiting for the reply to the refill: Redis handles the commands of a connection in order, so it adds
   * the earlier calls first.
   */
  private async join(): Promise<void> {
    const wasShared = this.isShared;
    try {
      this.processes = Math.max(1, await within(this.timeoutMs, this.shared.report()));
      if (wasShared && !this.isShared) return;
      const refilled = this.shared.refill();
      this.isShared = true;
      this.joinIn(JOIN_EVERY_MS);
      if ((await within(this.timeoutMs, refilled)) > 0 && wasShared) this.refillAlone();
    } catch {
      this.isShared = false;
      this.joinIn(RECONNECT_MS);
    }
  }

  private joinIn(milliseconds: number): void {
    clearTimeout(this.timer);
    if (!this.closed) this.timer = setTimeout(() => void this.join(), milliseconds).unref();
  }
}

/**
 * Rejects if the work takes too long. The rejection is deferred with setImmediate, so that a reply that arrived while
 * the event loop was blocked is still used.
 */
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
