import { Admission, type Applicant } from './admission.js';
import type { Connection } from './connection.js';
import type { Connect, Fleet } from './fleet.js';
import type { Statement } from './sql.js';

export interface ReadLimits {
  connections: number;
  /** Statements of one key that may be under way at a time. */
  perKey: number;
  /** Of these, how many may be slow: of one key, and in all. */
  slowPerKey: number;
  slow: number;
  /** A statement is slow when it has held up a connection for this long. */
  slowAfterMs: number;
  waitMs: number;
}

interface Read {
  key: string;
  statement: Statement;
  /** On how many connections it is under way. */
  attempts: number;
  isDone: boolean;
  resolve(rows: never[]): void;
  reject(error: Error): void;
}

interface Line {
  connection: Connection | undefined;
  opening: Promise<Connection> | undefined;
  /** In the order in which they will be answered. */
  reads: Read[];
  /** When the first of them became the first. */
  headSince: number;
  /** Its first read is slow, or belongs to a key that has slow ones: nothing else is sent behind it. */
  isReserved: boolean;
  watch: NodeJS.Timeout | undefined;
}

/**
 * Statements that take no lock share pipelined connections, all on the first that is free of slow ones: its backend
 * then finds several statements each time it wakes up (an eighth more product reads a second than by turns).
 *
 * A connection answers in order, so a slow statement holds up whatever was sent behind it. When that lasts longer than
 * `slowAfterMs`, the others are sent again on another connection (a read may run twice) and the slow one keeps its
 * connection to itself. While a key has a slow read, its further reads get connections of their own, a few at a time:
 * they wait for each other and for nobody else.
 */
export class Reads {
  private readonly lines: Line[];
  private readonly all: Admission;
  private readonly slow: Admission;

  constructor(
    private readonly fleet: Fleet,
    private readonly connect: Connect,
    private readonly limits: ReadLimits,
  ) {
    this.lines = Array.from({ length: limits.connections }, emptyLine);
    this.all = new Admission(limits.connections * limits.perKey);
    this.slow = new Admission(limits.slow);
  }

  async ready(): Promise<void> {
    await this.open(this.lines[0]!);
  }

  async query<R>(key: string, statement: Statement): Promise<R[]> {
    const applicant = { key, most: this.limits.perKey, group: '' };
    const turn = this.all.enter(applicant, this.limits.waitMs);
    if (turn) await turn;
    try {
      return await new Promise<R[]>((resolve, reject) =>
        this.dispatch({ key, statement, attempts: 0, isDone: false, resolve, reject }),
      );
    } finally {
      this.all.leave(applicant);
    }
  }

  private dispatch(read: Read): void {
    const line = this.lines.find(({ isReserved }) => !isReserved);
    if (this.slow.heldBy(read.key) === 0 && line) this.send(read, line);
    else void this.sendApart(read);
  }

  /** On a connection where nothing else is, when the turn of its key has come. */
  private async sendApart(read: Read): Promise<void> {
    const applicant = this.slowApplicant(read.key);
    read.attempts++;
    try {
      const turn = this.slow.enter(applicant, this.limits.waitMs);
      if (turn) await turn;
    } catch (error) {
      this.fail(read, error as Error);
      return;
    }
    read.attempts--;
    if (read.isDone) {
      this.slow.leave(applicant);
      return;
    }
    const line = this.lines.find(({ reads }) => reads.length === 0) ?? leastBusy(this.lines);
    line.isReserved = true;
    await this.send(read, line);
    this.slow.leave(applicant);
  }

  private async send(read: Read, line: Line): Promise<void> {
    if (line.reads.length === 0) line.headSince = performance.now();
    line.reads.push(read);
    line.watch ??= this.watchFor(line, this.limits.slowAfterMs);
    read.attempts++;
    try {
      const connection = line.connection?.isOpen ? line.connection : await this.open(line);
      const rows = await connection.query<never>(read.statement);
      this.answered(line, read);
      read.isDone = true;
      read.resolve(rows);
    } catch (error) {
      this.answered(line, read);
      this.fail(read, error as Error);
    }
  }

  private answered(line: Line, read: Read): void {
    line.reads.splice(line.reads.indexOf(read), 1);
    line.headSince = performance.now();
    if (line.reads.length === 0) line.isReserved = false;
  }

  /** One that was sent twice fails when both attempts have. */
  private fail(read: Read, error: Error): void {
    read.attempts--;
    if (read.attempts > 0 || read.isDone) return;
    read.isDone = true;
    read.reject(error);
  }

  private open(line: Line): Promise<Connection> {
    line.opening ??= this.fleet
      .open(this.connect)
      .then((connection) => {
        line.connection = connection;
        return connection;
      })
      .finally(() => {
        line.opening = undefined;
      });
    return line.opening;
  }

  private watchFor(line: Line, milliseconds: number): NodeJS.Timeout {
    // Answers that have arrived while this process was busy are read first; only then is the connection judged.
    return setTimeout(() => setImmediate(() => this.judge(line)), milliseconds).unref();
  }

  private judge(line: Line): void {
    line.watch = undefined;
    const [head, ...others] = line.reads;
    if (!head) return;
    const left = line.headSince + this.limits.slowAfterMs - performance.now();
    if (left > 0) {
      line.watch = this.watchFor(line, left);
      return;
    }
    if (!line.isReserved) this.reserveFor(head, line);
    for (const other of others) if (!other.isDone && other.attempts === 1) this.dispatch(other);
    line.watch = this.watchFor(line, this.limits.slowAfterMs);
  }

  /** The slow one stays where it is; it counts among the slow ones of its key until its connection is empty again. */
  private reserveFor(head: Read, line: Line): void {
    line.isReserved = true;
    const applicant = this.slowApplicant(head.key);
    this.slow.force(applicant);
    const { resolve, reject } = head;
    head.resolve = (rows) => {
      this.slow.leave(applicant);
      resolve(rows);
    };
    head.reject = (error) => {
      this.slow.leave(applicant);
      reject(error);
    };
  }

  private slowApplicant(key: string): Applicant {
    return { key, most: this.limits.slowPerKey, group: '' };
  }
}

function emptyLine(): Line {
  return {
    connection: undefined,
    opening: undefined,
    reads: [],
    headSince: 0,
    isReserved: false,
    watch: undefined,
  };
}

function leastBusy(lines: Line[]): Line {
  return lines.reduce((best, line) => (line.reads.length < best.reads.length ? line : best));
}
