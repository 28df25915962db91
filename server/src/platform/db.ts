import type pg from 'pg';
import { Pipeline } from './db-pipeline.js';
import { openPool, type Transactions } from './db-pool.js';
import type { Waiting } from './db-queue.js';
import { Turns } from './db-turns.js';
import { parseColumn } from './db-types.js';
import type { Statement } from './sql.js';

export type Row = Record<string, unknown>;

/** What reads take. */
export interface Queryable {
  query<R = Row>(statement: Statement): Promise<R[]>;
}

/** What writes take: a transaction that is open, or one that each single statement makes for itself. */
export interface Tx extends Queryable {
  readonly writes: true;
}

export interface Transaction extends Tx {
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export interface Database extends Queryable, Transactions {
  /** Each statement commits by itself: a CTE that writes and emits needs no BEGIN and COMMIT (+61% throughput). */
  readonly autocommit: Tx;
}

/**
 * How long a statement may take, wait for a lock, and be waited for by a reader in all, in milliseconds; and how many
 * connections there may be besides the pipelines.
 */
export interface DatabaseLimits {
  statementMs: number;
  lockMs: number;
  readMs: number;
  writers: number;
  pooled: number;
}

const USUAL: DatabaseLimits = {
  statementMs: 30_000,
  lockMs: 10_000,
  readMs: 60_000,
  writers: 10,
  pooled: 10,
};
const PIPELINES = 2;

/**
 * Reads share pipelined connections (7.6k product reads a second against 4.3k through a pool). Writes take turns on
 * others: a pipeline answers in order, so one write that waits for a row lock would hold up every read behind it.
 * Transactions of several statements have a pool.
 */
export async function openDatabase(
  connection: pg.ClientConfig,
  limits: DatabaseLimits = USUAL,
  waiting?: Waiting,
): Promise<Database> {
  const settings = clientSettings(connection, limits);
  const { readMs } = limits;
  const pipelines = Array.from({ length: PIPELINES }, () => new Pipeline(settings, readMs));
  // Connected on their first use.
  const writers = Array.from({ length: limits.writers }, () => new Pipeline(settings, readMs));
  const turns = new Turns(writers);
  const pool = openPool(settings, limits.pooled, waiting);
  // All on one, whose backend then finds several statements each time it wakes up (an eighth more product reads a second
  // than by turns); only what would wait behind a slow one goes to the next.
  const readLine = () => pipelines.find((pipeline) => !pipeline.isHeldUp) ?? pipelines[PIPELINES - 1]!;

  const database: Database = {
    query: (statement) => readLine().query(statement),
    autocommit: { writes: true, query: (statement) => turns.query(statement) },
    begin: pool.begin,
    transaction: pool.transaction,
    async close() {
      await Promise.all([...pipelines, ...writers].map((line) => line.close()));
      await pool.close();
    },
  };
  try {
    await Promise.all(pipelines.map((pipeline) => pipeline.ready()));
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/**
 * Every session speaks UTC, and no statement may hold a connection for ever. No parallel workers and no compiling: they
 * cost milliseconds to start, and the other processors have other requests to serve.
 */
export function clientSettings(
  connection: pg.ClientConfig,
  { statementMs, lockMs } = USUAL,
): pg.ClientConfig {
  return {
    ...connection,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    options: `-c TimeZone=UTC -c statement_timeout=${statementMs} -c lock_timeout=${lockMs} -c idle_in_transaction_session_timeout=60000 -c max_parallel_workers_per_gather=0 -c jit=off`,
    types: { getTypeParser: parseColumn } as pg.CustomTypesConfig,
  };
}
