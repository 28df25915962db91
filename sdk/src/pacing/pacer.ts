import type { Clock } from '../clock.js';
import type { Priority } from '../options.js';
import type { Budget, BudgetReport } from './budget.js';

interface Waiting {
  rank: number;
  id: string;
  start(): void;
}

const RANKS: Record<Priority, number> = { high: 0, normal: 1, low: 2 };

/**
 * Lets calls be sent when the budget and the concurrency limit allow it: the most urgent first, equally urgent ones in
 * the order of arrival.
 */
export class Pacer {
  private readonly waiting: Waiting[] = [];
  private inFlight = 0;
  private isPumping = false;
  private wake = new AbortController();

  constructor(
    private readonly budget: Budget,
    private readonly concurrency: number,
    private readonly clock: Clock,
  ) {}

  /** Resolves when the call may be sent. Pass the resulting id to `release` when the call is over. */
  acquire(priority: Priority, signal: AbortSignal | undefined): Promise<string> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const id = crypto.randomUUID();
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(entry), 1);
        reject(signal?.reason);
      };
      const entry: Waiting = {
        rank: RANKS[priority],
        id,
        start: () => {
          signal?.removeEventListener('abort', leave);
          resolve(id);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      const behind = this.waiting.findIndex(({ rank }) => rank > entry.rank);
      this.waiting.splice(behind < 0 ? this.waiting.length : behind, 0, entry);
      void this.pump();
    });
  }

  async release(id: string, report: BudgetReport | undefined): Promise<void> {
    this.inFlight--;
    await this.tellBudget(id, report);
    this.wake.abort();
    void this.pump();
  }

  /** Only one loop runs at a time. Two loops would take two slots for the same call. */
  private async pump(): Promise<void> {
    if (this.isPumping) return;
    this.isPumping = true;
    try {
      while (this.waiting.length > 0 && this.inFlight < this.concurrency) await this.startNext();
    } finally {
      this.isPumping = false;
    }
  }

  private async startNext(): Promise<void> {
    this.wake = new AbortController();
    const id = this.waiting[0]!.id;
    const waitMs = await this.askBudget(id);
    if (waitMs > 0) {
      // Wake early when a call finishes, because its response may report more free slots than were assumed.
      await this.clock.sleep(waitMs, this.wake.signal).catch(() => {});
      return;
    }
    const index = this.waiting.findIndex((entry) => entry.id === id);
    if (index < 0) {
      // The caller gave up while the budget was being asked, so the reserved slot stays unused.
      await this.tellBudget(id, undefined);
      return;
    }
    this.inFlight++;
    this.waiting.splice(index, 1)[0]!.start();
  }

  /** If a shared budget cannot be reached, calls are sent anyway, because the server still enforces the limit. */
  private async askBudget(id: string): Promise<number> {
    try {
      return await this.budget.reserve(id, this.clock.now());
    } catch {
      return 0;
    }
  }

  private async tellBudget(id: string, report: BudgetReport | undefined): Promise<void> {
    try {
      await this.budget.settle(id, report, this.clock.now());
    } catch {
      // As in askBudget(), a budget that cannot be reached is ignored.
    }
  }
}
