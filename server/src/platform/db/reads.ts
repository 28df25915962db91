import { Admission, type Applicant } from '../concurrency/admission.js';
import type { Connection } from './connection.js';
import type { Connect, OpenConnections } from './open-connections.js';
import type { Statement } from './sql.js';

export interface ReadLimits {
  connections: number;
  /** The maximum number of concurrent statements per key. A key is a store, an area of a store, or a task. */
  perKey: number;
  /** The maximum number of concurrent slow statements per key. */
  slowPerKey: number;
  /**
   * The maximum number of concurrent slow statements of all keys together. Both limits for slow statements can only
   * delay statements that have not been sent yet, so running statements that prove slow can exceed them.
   */
  slow: number;
  /** A statement counts as slow after it has occupied a connection for this long. */
  slowAfterMs: number;
  waitMs: number;
}

interface Read {
  key: string;
  statement: Statement;
  /** The number of unfinished attempts. A read is sent a second time if it is behind a slow one. */
  attempts: number;
  isDone: boolean;
  resolve(rows: never[]): void;
  reject(error: Error): void;
}

interface ConnectionSlot {
  connection: Connection | undefined;
  opening: Promise<Connection> | undefined;
  /** The reads sent on this connection, in the order in which they will be answered. */
  reads: Read[];
  /** The value of performance.now() when the first entry of `reads` became the first. */
  headSince: number;
  /**
   * Set when a read on this connection proves slow, or when sendSeparately() uses the connection. Cleared when the
   * connection is idle. While it is set, other reads are sent here only if no connection is idle.
   */
  isReserved: boolean;
  /**
   * The read that proved slow on this connection. It counts against the limits for slow reads until this connection
   * has answered it.
   */
  slowRead: Read | undefined;
  watch: NodeJS.Timeout | undefined;
}

/**
 * Pipelined connections for statements that take no locks. Normally all statements share the first connection that is
 * not reserved for slow reads: its backend then finds several statements each time it wakes up (an eighth more product
 * reads per second than with round-robin).
 *
 * A connection answers statements in the order in which they were sent, so a slow statement delays all later ones.
 * After `slowAfterMs` the later statements are sent again on another connection (a read may therefore run twice), and
 * the slow one keeps its connection. While a key has a slow read, its further reads run on separate connections if
 * any is idle, at most `slowPerKey` at a time.
 */
export class Reads {
  private readonly slots: ConnectionSlot[];
  private readonly all: Admission;
  private readonly slow: Admission;

  constructor(
    private readonly openConnections: OpenConnections,
    private readonly connect: Connect,
    private readonly limits: ReadLimits,
  ) {
    this.slots = Array.from({ length: limits.connections }, emptySlot);
    this.all = new Admission({ total: limits.connections * limits.perKey });
    this.slow = new Admission({ total: limits.slow });
  }

  async ready(): Promise<void> {
    await this.open(this.slots[0]!);
  }

  async query<R>(key: string, statement: Statement): Promise<R[]> {
    const { perKey, waitMs } = this.limits;
    const applicant = { key, limit: perKey };
    if (!this.all.tryEnter(applicant)) await this.all.wait(applicant, { waitMs });
    try {
      return await new Promise<R[]>((resolve, reject) =>
        this.dispatch({ key, statement, attempts: 0, isDone: false, resolve, reject }),
      );
    } finally {
      this.all.leave(applicant);
    }
  }

  private dispatch(read: Read): void {
    const slot = this.slots.find(({ isReserved }) => !isReserved);
    if (this.slow.heldBy(read.key) === 0 && slot) this.send(read, slot);
    else void this.sendSeparately(read);
  }

  /**
   * Waits until the limits for slow reads permit another read of the key, then sends the read on an idle connection, or
   * on the least busy one if none is idle.
   */
  private async sendSeparately(read: Read): Promise<void> {
    const applicant = this.slowApplicant(read.key);
    read.attempts++;
    try {
      const { waitMs } = this.limits;
      if (!this.slow.tryEnter(applicant)) await this.slow.wait(applicant, { waitMs });
    } catch (error) {
      this.fail(read, error as Error);
      return;
    }
    read.attempts--;
    if (read.isDone) {
      this.slow.leave(applicant);
      return;
    }
    const slot = this.slots.find(({ reads }) => reads.length === 0) ?? leastBusy(this.slots);
    slot.isReserved = true;
    await this.send(read, slot);
    this.slow.leave(applicant);
  }

  private async send(read: Read, slot: ConnectionSlot): Promise<void> {
    if (slot.reads.length === 0) slot.headSince = performance.now();
    slot.reads.push(read);
    slot.watch ??= this.watchFor(slot, this.limits.slowAfterMs);
    read.attempts++;
    try {
      const connection = slot.connection?.isOpen ? slot.connection : await this.open(slot);
      const rows = await connection.query<never>(read.statement);
      this.answered(slot, read);
      read.isDone = true;
      read.resolve(rows);
    } catch (error) {
      this.answered(slot, read);
      this.fail(read, error as Error);
    }
  }

  private answered(slot: ConnectionSlot, read: Read): void {
    slot.reads.splice(slot.reads.indexOf(read), 1);
    slot.headSince = performance.now();
    if (slot.slowRead === read) {
      slot.slowRead = undefined;
      this.slow.leave(this.slowApplicant(read.key));
    }
    if (slot.reads.length === 0) slot.isReserved = false;
  }

  /** A read that was sent twice fails only when both attempts have failed. */
  private fail(read: Read, error: Error): void {
    read.attempts--;
    if (read.attempts > 0 || read.isDone) return;
    read.isDone = true;
    read.reject(error);
  }

  private open(slot: ConnectionSlot): Promise<Connection> {
    slot.opening ??= this.openConnections
      .open(this.connect)
      .then((connection) => {
        slot.connection = connection;
        return connection;
      })
      .finally(() => {
        slot.opening = undefined;
      });
    return slot.opening;
  }

  private watchFor(slot: ConnectionSlot, milliseconds: number): NodeJS.Timeout {
    // With `setImmediate`, responses that arrived while the event loop was blocked are processed before the check.
    // Otherwise a fast read would count as slow.
    return setTimeout(() => setImmediate(() => this.checkForSlowRead(slot)), milliseconds).unref();
  }

  private checkForSlowRead(slot: ConnectionSlot): void {
    slot.watch = undefined;
    const [head, ...others] = slot.reads;
    if (!head) return;
    const left = slot.headSince + this.limits.slowAfterMs - performance.now();
    if (left > 0) {
      slot.watch = this.watchFor(slot, left);
      return;
    }
    if (!slot.isReserved) this.reserveFor(head, slot);
    for (const other of others) if (!other.isDone && other.attempts === 1) this.dispatch(other);
    slot.watch = this.watchFor(slot, this.limits.slowAfterMs);
  }

  /** Leaves the slow read on its connection and counts it as a slow read of its key until it is answered there. */
  private reserveFor(head: Read, slot: ConnectionSlot): void {
    slot.isReserved = true;
    slot.slowRead = head;
    this.slow.force(this.slowApplicant(head.key));
  }

  private slowApplicant(key: string): Applicant {
    return { key, limit: this.limits.slowPerKey };
  }
}

function emptySlot(): ConnectionSlot {
  return {
    connection: undefined,
    opening: undefined,
    reads: [],
    headSince: 0,
    isReserved: false,
    slowRead: undefined,
    watch: undefined,
  };
}

function leastBusy(slots: ConnectionSlot[]): ConnectionSlot {
  return slots.reduce((best, slot) => (slot.reads.length < best.reads.length ? slot : best));
}
