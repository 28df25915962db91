import { NoConnectionInTime } from './unavailable.js';

/** Somebody who wants one of the connections. */
export interface Applicant {
  /** Whose share it is counted against: a store, or an internal task. */
  key: string;
  /** How many this key may hold at a time. */
  most: number;
  /** The limit of a group is shared by all keys in it. */
  group: string;
}

interface Waiter {
  applicant: Applicant;
  admit(): void;
}

/**
 * Decides who may use a connection now. Within a key, callers are admitted in the order in which they asked; between
 * keys, by turns. The fewer places are free, the fewer one key may hold (`held < free`), so that the last ones go to
 * keys that hold nothing: a store whose statements all wait for a lock keeps waiting for itself, not others for it.
 */
export class Admission {
  private free: number;
  private readonly held = new Map<string, number>();
  private readonly heldByGroup = new Map<string, number>();
  /** In the order of their turns: a key that was admitted moves to the end. */
  private readonly queues = new Map<string, Waiter[]>();

  constructor(
    total: number,
    private readonly groupLimits: Readonly<Record<string, number>> = {},
  ) {
    this.free = total;
  }

  /** Undefined when admitted at once, so that the usual case costs no promise. Call `leave` afterwards. */
  enter(applicant: Applicant, waitMs: number): Promise<void> | undefined {
    if (!this.queues.has(applicant.key) && this.mayEnter(applicant)) {
      this.take(applicant);
      return undefined;
    }
    return this.wait(applicant, waitMs);
  }

  /** Takes a place whether there is one or not, for work that is already under way. Call `leave` afterwards. */
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

  /** How many wait, for metrics. */
  get waiting(): number {
    let count = 0;
    for (const queue of this.queues.values()) count += queue.length;
    return count;
  }

  private mayEnter({ key, most, group }: Applicant): boolean {
    const limit = this.groupLimits[group];
    if (limit !== undefined && (this.heldByGroup.get(group) ?? 0) >= limit) return false;
    return this.heldBy(key) < Math.min(most, this.free);
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
