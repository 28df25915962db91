/** A caller that asks for one of a limited number of places. */
export interface Applicant {
  /** Identifies whose limit the place counts against, for example a store, an app or a task. */
  key: string;
  /** The maximum number of places this key may hold at the same time. */
  limit: number;
  /** All keys in a group also share the limit of that group. */
  group?: string;
  /** If true, this caller is admitted before waiting callers that are not urgent. */
  isUrgent?: boolean;
}

interface AdmissionLimits {
  /** The total number of places for all keys. */
  total?: number;
  groups?: Readonly<Record<string, number>>;
  /** While this returns false, no caller is admitted. Call `admitWaiting` once it returns true again. */
  isOpen?: () => boolean;
}

interface WaitLimits {
  /** The maximum wait in milliseconds. If unset, the wait has no time limit. */
  waitMs?: number;
  /** The maximum number of callers of the same key in the queue. */
  maxWaiting?: number;
  /** When this signal is aborted, the caller leaves the queue. */
  signal?: AbortSignal;
}

/** Thrown if the queue was full, the caller waited too long, or its signal was aborted. */
export class NotAdmitted extends Error {}

interface Waiter {
  applicant: Applicant;
  admit(): void;
}

type Queues = Map<string, Waiter[]>;

/**
 * Decides which caller may next use one of a limited number of places, such as connections or threads. Urgent callers
 * are admitted before other waiting callers. Equally urgent callers with the same key are admitted in the order in
 * which they asked; between keys, admission is round-robin. A key must hold fewer places than are free (`held < free`)
 * to get another one, so the last free place goes to a key that holds none. If all statements of one store wait for a
 * lock, they therefore delay only that store.
 *
 * Use: `if (!admission.tryEnter(applicant)) await admission.wait(applicant)`, and `leave` when done. There are two
 * methods so that the common case does not allocate a promise.
 */
export class Admission {
  private free: number;
  private readonly groupLimits: Readonly<Record<string, number>>;
  private readonly isOpen: () => boolean;
  private readonly held = new Map<string, number>();
  private readonly heldByGroup = new Map<string, number>();
  /** Waiting callers by key. The keys take turns: when a caller is admitted, its key moves to the end. */
  private readonly queues: Queues = new Map();
  private readonly urgentQueues: Queues = new Map();

  constructor({ total = Number.POSITIVE_INFINITY, groups = {}, isOpen = () => true }: AdmissionLimits) {
    this.free = total;
    this.groupLimits = groups;
    this.isOpen = isOpen;
  }

  /** Takes a place if the caller may have one immediately. Call `leave` when done. */
  tryEnter(applicant: Applicant): boolean {
    if (this.queuesFor(applicant).has(applicant.key) || !this.mayEnter(applicant)) return false;
    this.take(applicant);
    return true;
  }

  /**
   * Waits for a place, after `tryEnter` returned false. Rejects with NotAdmitted if the queue is full, the wait takes
   * too long, or the signal is aborted. Call `leave` when done.
   */
  wait(applicant: Applicant, { waitMs, maxWaiting, signal }: WaitLimits = {}): Promise<void> {
    const { key } = applicant;
    const queues = this.queuesFor(applicant);
    const queue = queues.get(key) ?? [];
    if (maxWaiting !== undefined && queue.length >= maxWaiting)
      return Promise.reject(new NotAdmitted(`${maxWaiting} callers of ${key} are already waiting`));
    if (signal?.aborted) return Promise.reject(new NotAdmitted(`${key} stopped waiting`));
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const giveUp = (reason: string) => {
        stopWaiting();
        this.withdraw(waiter);
        reject(new NotAdmitted(reason));
      };
      const onAbort = () => giveUp(`${key} stopped waiting`);
      const waiter: Waiter = {
        applicant,
        admit() {
          stopWaiting();
          resolve();
        },
      };
      const timer =
        waitMs === undefined
          ? undefined
          : setTimeout(() => giveUp(`${key} was not admitted within ${waitMs} ms`), waitMs);
      signal?.addEventListener('abort', onAbort);
      queue.push(waiter);
      queues.set(key, queue);
    });
  }

  /** Waits for a place, runs the work and leaves. */
  async run<T>(applicant: Applicant, limits: WaitLimits, work: () => Promise<T>): Promise<T> {
    if (!this.tryEnter(applicant)) await this.wait(applicant, limits);
    try {
      return await work();
    } finally {
      this.leave(applicant);
    }
  }

  /** Takes a place even if none is free, for work that is already running. Call `leave` when done. */
  force(applicant: Applicant): void {
    this.take(applicant);
  }

  leave({ key, group = '' }: Applicant): void {
    this.free++;
    decrement(this.held, key);
    decrement(this.heldByGroup, group);
    this.admitWaiting();
  }

  heldBy(key: string): number {
    return this.held.get(key) ?? 0;
  }

  /** Admits every caller in the queue that may enter now. */
  admitWaiting(): void {
    for (let queue = this.nextAdmissible(); queue; queue = this.nextAdmissible()) {
      const waiter = queue.shift()!;
      const { applicant } = waiter;
      const queues = this.queuesFor(applicant);
      queues.delete(applicant.key);
      if (queue.length > 0) queues.set(applicant.key, queue);
      this.take(applicant);
      waiter.admit();
    }
  }

  private queuesFor({ isUrgent }: Applicant): Queues {
    return isUrgent ? this.urgentQueues : this.queues;
  }

  private mayEnter({ key, limit, group = '' }: Applicant): boolean {
    const groupLimit = this.groupLimits[group];
    if (groupLimit !== undefined && (this.heldByGroup.get(group) ?? 0) >= groupLimit) return false;
    return this.heldBy(key) < Math.min(limit, this.free) && this.isOpen();
  }

  private take({ key, group = '' }: Applicant): void {
    this.free--;
    this.held.set(key, this.heldBy(key) + 1);
    this.heldByGroup.set(group, (this.heldByGroup.get(group) ?? 0) + 1);
  }

  private withdraw(waiter: Waiter): void {
    const { key } = waiter.applicant;
    const queues = this.queuesFor(waiter.applicant);
    const left = (queues.get(key) ?? []).filter((other) => other !== waiter);
    if (left.length > 0) queues.set(key, left);
    else queues.delete(key);
  }

  private nextAdmissible(): Waiter[] | undefined {
    if (this.free <= 0) return undefined;
    for (const queue of this.urgentQueues.values()) if (this.mayEnter(queue[0]!.applicant)) return queue;
    for (const queue of this.queues.values()) if (this.mayEnter(queue[0]!.applicant)) return queue;
    return undefined;
  }
}

function decrement(counts: Map<string, number>, name: string): void {
  const left = (counts.get(name) ?? 0) - 1;
  if (left > 0) counts.set(name, left);
  else counts.delete(name);
}
