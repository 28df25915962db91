import type { Admission, Applicant } from '../concurrency/admission.js';
import type { Connection } from './connection.js';
import type { Pool } from './pool.js';
import type { Reads } from './reads.js';
import type { Deadlines } from './settings.js';
import { type Statement, sql } from './sql.js';
import { DatabaseUnavailable } from './unavailable.js';

/** The parameter type of functions that read. */
export interface Queryable {
  query<R = Record<string, unknown>>(statement: Statement): Promise<R[]>;
}

/** The parameter type of functions that write: an open transaction, or the autocommit mode of a share. */
export interface Tx extends Queryable {
  readonly writes: true;
  /**
   * Sends the last statements of a function that writes. If the transaction ends with them, COMMIT is sent right behind
   * them, so that locks are not held for another round trip. `send` must issue all its statements before it waits for
   * anything, and must reject if one of them fails. After such a function, no more statements may be sent in the same
   * transaction.
   */
  last<T>(send: () => Promise<T>): Promise<T>;
}

export interface Transaction extends Tx {
  commit(): Promise<void>;
  /** Sends COMMIT right behind the statements of `send`, which must meet the conditions described at Tx.last. */
  commitWith<T>(send: () => Promise<T>): Promise<T>;
  rollback(): Promise<void>;
}

export interface StoreAccess extends Queryable {
  /**
   * In a Share, each statement sent through `autocommit` commits on its own; in a KeyedRequest or DryRun, all of them
   * are in one transaction. A statement that writes a row and its event (with a CTE) needs no BEGIN and COMMIT; leaving
   * them out made writes 61% faster.
   */
  readonly autocommit: Tx;
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

interface Resources {
  admission: Admission;
  pool: Pool;
  /** If undefined, reads use the same connections as writes. */
  reads: Reads | undefined;
  deadlines: Deadlines;
}

export interface TransactionOptions {
  /** The maximum wait, in milliseconds, until this share may use a connection. */
  waitMs?: number;
  /** Makes the transaction read-only. All its statements see the data as it was at the first statement. */
  isSnapshot?: true;
}

/** The database access of one store, task or stream. It is cheap to create, so callers do not have to reuse it. */
export class Share implements StoreAccess {
  readonly autocommit: Tx = {
    writes: true,
    query: (statement) => this.run(statement),
    last: (send) => send(),
  };

  constructor(
    private readonly applicant: Applicant,
    private readonly resources: Resources,
    /** Checked after a wait, so that no work is started for a caller who has disconnected. */
    private readonly isAbandoned: () => boolean = () => false,
  ) {}

  /**
   * Runs a statement. It must take no row locks and change nothing, because it may share a connection with statements
   * of other callers and may be sent twice.
   */
  query<R>(statement: Statement): Promise<R[]> {
    const { reads } = this.resources;
    return reads ? reads.query(this.applicant.key, statement) : this.run(statement);
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T> {
    const tx = await this.begin(options);
    const ending: Tx = {
      writes: true,
      query: (statement) => tx.query(statement),
      last: (send) => tx.commitWith(send),
    };
    try {
      const result = await work(ending);
      await tx.commit();
      return result;
    } catch (error) {
      await tx.rollback();
      throw error;
    }
  }

  /**
   * Begins a transaction that stays open when the calling function returns, for example across several hooks of a
   * request. The caller must commit it or roll it back.
   */
  async begin(options: TransactionOptions = {}): Promise<Transaction> {
    const connection = await this.take(options.waitMs);
    const begin = options.isSnapshot ? sql`begin isolation level repeatable read, read only` : sql`begin`;
    return new OpenTransaction(connection, begin, this.resources.deadlines.transactionMs, () =>
      this.give(connection),
    );
  }

  /** Returns a copy of this share for a caller who may disconnect before a connection is free. */
  abandonedWhen(isAbandoned: () => boolean): Share {
    return new Share(this.applicant, this.resources, isAbandoned);
  }

  private async run<R>(statement: Statement): Promise<R[]> {
    const connection = await this.take();
    try {
      return await connection.query<R>(statement);
    } finally {
      this.give(connection);
    }
  }

  private async take(waitMs = this.resources.deadlines.waitMs): Promise<Connection> {
    const { admission, pool } = this.resources;
    const mustWait = !admission.tryEnter(this.applicant);
    if (mustWait) await admission.wait(this.applicant, { waitMs });
    try {
      if (mustWait && this.isAbandoned()) throw new DatabaseUnavailable('the caller disconnected');
      return await pool.take();
    } catch (error) {
      admission.leave(this.applicant);
      throw error;
    }
  }

  private give(connection: Connection): void {
    this.resources.pool.give(connection);
    this.resources.admission.leave(this.applicant);
  }
}

class OpenTransaction implements Transaction {
  readonly writes = true;
  private ended = false;
  private failure: unknown;
  private readonly deadline: NodeJS.Timeout;

  constructor(
    private readonly connection: Connection,
    begin: Statement,
    transactionMs: number,
    private readonly release: () => void,
  ) {
    // BEGIN is not awaited, so that it is sent together with the first statement. Its error is ignored, because that
    // statement then fails as well.
    connection.query(begin).catch(() => {});
    this.deadline = setTimeout(
      () => connection.destroy(new Error(`a transaction took longer than ${transactionMs} ms`)),
      transactionMs,
    );
  }

  query<R>(statement: Statement): Promise<R[]> {
    // After the end of the transaction, the connection may already belong to another caller.
    if (this.ended) return Promise.reject(new Error('a statement was sent after the end of its transaction'));
    // PostgreSQL rejects all statements after a failed one ("current transaction is aborted"). If several were sent
    // together, the caller should get the cause, whichever promise it sees first.
    return this.connection.query<R>(statement).catch((error: unknown) => {
      this.failure ??= error;
      throw this.failure;
    });
  }

  /** The caller of `begin` ends this transaction, so no COMMIT is sent here. */
  last<T>(send: () => Promise<T>): Promise<T> {
    return send();
  }

  async commitWith<T>(send: () => Promise<T>): Promise<T> {
    // If a statement fails, PostgreSQL rolls back and answers COMMIT without an error, so the result of `send` is
    // checked first.
    const [sent, committed] = await Promise.allSettled([send(), this.commit()]);
    if (sent.status === 'rejected') throw sent.reason;
    if (committed.status === 'rejected') throw committed.reason;
    return sent.value;
  }

  async commit(): Promise<void> {
    // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK and no error. The answer is not checked,
    // because the caller gets the error of the failed statement.
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
