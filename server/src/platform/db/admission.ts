import { NoConnectionInTime } from './unavailable.js';

/** A caller that requests a connection. */
export interface Applicant {
  /** The store or internal task whose limit this request counts against. */
  key: string;
  /** The maximum number of connections this key may hold at the same time. */
  limit: number;
  /** All keys in a group also share the limit of that group. */
  group: string;
}

interface Waiter {
  applicant: Applicant;
  admit(): void;
}

/**
 * Decides which caller may use a connection next. Callers with the same key are admitted in the order in which they
 * asked; between keys, admission is round-robin. A key may hold fewer connections than are free (`held < free`), so
 * the last free connections go to keys that hold none. A store whose statements all wait for a lock therefore delays
 * only itself.
 */
export class Admission {
  private free: number;
  private readonly held = new Map<string, number>();
  private readonly heldByGroup = new Map<string, number>();
  /** Ordered by turn: a key that was admitted moves to the end. */
  private readonly queues = new Map<string, Waiter[]>();

  constructor(
    total: number,
    private readonly groupLimits: Readonly<Record<string, number>> = {},
  ) {
    this.free = total;
  }

  /**
   * Returns undefined when the caller is admitted immediately, so the common case allocates no promise. Call `leave`
   * when done.
   */
  enter(applicant: Applicant, waitMs: number): Promise<void> | undefined {
    if (!this.queues.has(applicant.key) && this.mayEnter(applicant)) {
      this.take(applicant);
      return undefined;
    }
    return this.wait(applicant, waitMs);
  }

  /** Takes a connection even if none is free, for work that has already started. Call `leave` when done. */
  force(applicant: Applicant): void {
    this.take(applicant);
  }

  leave({ key, group }: Applicant): void {
    this.free++;
    decrement(this.held, key);
    decrement(this.heldByGroup, group);
    this.admitWaiting();
  }

  heldBy(key: string): number {
    return this.held.get(key) ?? 0;
  }

  /** The number of callers in the queue, for metrics. */
  get waiting(): number {
    let count = 0;
    for (const queue of this.queues.values()) count += queue.length;
    return count;
  }

  private mayEnter({ key, limit, group }: Applicant): boolean {
    const groupLimit = this.groupLimits[group];
    if (groupLimit !== undefined && (this.heldByGroup.get(group) ?? 0) >= groupLimit) return false;
    return this.heldBy(key) < Math.min(limit, this.free);
  }

  private take({ key, group }: Applicant): void {
    this.free--;
    this.held.set(key, this.heldBy(key) + 1);
    this.heldByGroup.set(group, (this.heldByGroup.get(group) ?? 0) + 1);
  }

  private wait(applicant: Applicant, waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        applicant,
        admit() {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.withdraw(waiter);
        reject(new NoConnectionInTime(`${applicant.key} waited ${waitMs} ms for a connection`));
      }, waitMs);
      const queue = this.queues.get(applicant.key);
      if (queue) queue.push(waiter);
      else this.queues.set(applicant.key, [waiter]);
    });
  }

  private withdraw(waiter: Waiter): void {
    const { key } = waiter.applicant;
    const left = (this.queues.get(key) ?? []).filter((other) => other !== waiter);
    if (left.length > 0) this.queues.set(key, left);
    else this.queues.delete(key);
  }

  private admitWaiting(): void {
    for (let next = this.nextAdmissible(); next && this.free > 0; next = this.nextAdmissible()) {
      const { key } = next[0]!.applicant;
      const waiter = next.shift()!;
      this.queues.delete(key);
      if (next.length > 0) this.queues.set(key, next);
      this.take(waiter.applicant);
      waiter.admit();
    }
  }

  private nextAdmissible(): Waiter[] | undefined {
    for (const queue of this.queues.values()) if (this.mayEnter(queue[0]!.applicant)) return queue;
    return undefined;
  }
}

function decrement(counts: Map<string, number>, name: string): void {
  const left = (counts.get(name) ?? 0) - 1;
  if (left > 0) counts.set(name, left);
  else counts.delete(name);
}
