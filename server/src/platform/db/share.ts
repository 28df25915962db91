import type { Admission, Applicant } from './admission.js';
import type { Connection } from './connection.js';
import type { Pool } from './pool.js';
import type { Reads } from './reads.js';
import type { Deadlines } from './settings.js';
import { type Statement, sql } from './sql.js';
import { DatabaseUnavailable } from './unavailable.js';

/** What reads take. */
export interface Queryable {
  query<R = Record<string, unknown>>(statement: Statement): Promise<R[]>;
}

/** What writes take: an open transaction, or the autocommit of a share. */
export interface Tx extends Queryable {
  readonly writes: true;
}

export interface Transaction extends Tx {
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** One way to read, one to write a single statement, and one to run a transaction. */
export interface StoreAccess extends Queryable {
  /** Each statement commits on its own: a CTE that writes and emits needs no BEGIN and COMMIT (+61% throughput). */
  readonly autocommit: Tx;
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

interface Means {
  admission: Admission;
  pool: Pool;
  /** Undefined: reads take turns with the writes. */
  reads: Reads | undefined;
  deadlines: Deadlines;
}

/** How a transaction differs from others. */
export interface TransactionOptions {
  /** How long to wait for a connection while others of the same share are in front. */
  waitMs?: number;
}

/** One store's, or one task's, way to the database. It costs nothing to make and need not be kept. */
export class Share implements StoreAccess {
  readonly autocommit: Tx = { writes: true, query: (statement) => this.run(statement) };

  constructor(
    private readonly applicant: Applicant,
    private readonly means: Means,
    /** Asked after a wait: what nobody waits for any more is not begun. */
    private readonly isAbandoned: () => boolean = () => false,
  ) {}

  /** For statements that take no lock and change nothing: they share connections and may be sent twice. */
  query<R>(statement: Statement): Promise<R[]> {
    const { reads } = this.means;
    return reads ? reads.query(this.applicant.key, statement) : this.run(statement);
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T> {
    const tx = await this.begin(options);
    try {
      const result = await work(tx);
      await tx.commit();
      return result;
    } catch (error) {
      await tx.rollback();
      throw error;
    }
  }

  /** For a transaction that spans several hooks of a request. The caller must end it. */
  async begin(options: TransactionOptions = {}): Promise<Transaction> {
    const connection = await this.take(options.waitMs);
    return new OpenTransaction(connection, this.means.deadlines.transactionMs, () => this.give(connection));
  }

  /** The same share, for a caller who may leave before its turn has come. */
  unless(isAbandoned: () => boolean): Share {
    return new Share(this.applicant, this.means, isAbandoned);
  }

  private async run<R>(statement: Statement): Promise<R[]> {
    const connection = await this.take();
    try {
      return await connection.query<R>(statement);
    } finally {
      this.give(connection);
    }
  }

  private async take(waitMs = this.means.deadlines.waitMs): Promise<Connection> {
    const { admission, pool } = this.means;
    const turn = admission.enter(this.applicant, waitMs);
    if (turn) await turn;
    try {
      if (turn && this.isAbandoned()) throw new DatabaseUnavailable('the caller has left');
      return await pool.take();
    } catch (error) {
      admission.leave(this.applicant);
      throw error;
    }
  }

  private give(connection: Connection): void {
    this.means.pool.give(connection);
    this.means.admission.leave(this.applicant);
  }
}

class OpenTransaction implements Transaction {
  readonly writes = true;
  private ended = false;
  private readonly deadline: NodeJS.Timeout;

  constructor(
    private readonly connection: Connection,
    transactionMs: number,
    private readonly release: () => void,
  ) {
    // Not waited for: the first statement follows it at once. If it fails, so does that.
    connection.query(sql`begin`).catch(() => {});
    this.deadline = setTimeout(
      () => connection.destroy(new Error(`a transaction took longer than ${transactionMs} ms`)),
      transactionMs,
    );
  }

  query<R>(statement: Statement): Promise<R[]> {
    return this.connection.query<R>(statement);
  }

  async commit(): Promise<void> {
    // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK and without an error. Nobody gets here then:
    // the statement that failed has thrown.
    await this.end(() => this.connection.query(sql`commit`));
  }

  async rollback(): Promise<void> {
    await this.end(() => this.connection.query(sql`rollback`)).catch(() => {});
  }

  private async end(verb: () => Promise<unknown>): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    try {
      await verb();
    } catch (error) {
      this.connection.destroy(error as Error);
      throw error;
    } finally {
      clearTimeout(this.deadline);
      this.release();
    }
  }
}
