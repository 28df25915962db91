import pg from 'pg';
import { Pipeline } from './db-pipeline.js';
import { Queue, type Waiting } from './db-queue.js';
import { Turns } from './db-turns.js';
import { parseColumn } from './db-types.js';
import type { Statement } from './sql.js';
import { hasHung } from './sql-state.js';

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

export interface Database extends Queryable {
  /** Each statement commits by itself: a CTE that writes and emits needs no BEGIN and COMMIT (+61% throughput). */
  readonly autocommit: Tx;
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** For the one caller whose transaction spans several hooks of a request. Whoever opens it ends it. */
  begin(): Promise<Transaction>;
  close(): Promise<void>;
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
/** Long, because whoever waits behind a database that hangs is told so earlier: see Queue. */
const QUEUED_MS = 30_000;

/**
 * Reads share pipelined connections (7.6k product reads a second against 4.3k through a pool). Writes take turns on
 * others: a pipeline answers in order, so one write that waits for a row lock would hold up every read behind it.
 * Transactions of several statements have a pool.
 */
export async function openDatabase(
  connection: pg.ClientConfig,
  limits: DatabaseLimits = USUAL,
  waiting: Waiting = new Set(),
): Promise<Database> {
  const settings = clientSettings(connection, limits);
  const { readMs } = limits;
  const pipelines = Array.from({ length: PIPELINES }, () => new Pipeline(settings, readMs));
  // Connected on their first use.
  const writers = Array.from({ length: limits.writers }, () => new Pipeline(settings, readMs));
  const turns = new Turns(writers);
  const pool = new pg.Pool({
    ...settings,
    max: limits.pooled,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: QUEUED_MS,
  });
  // A connection that dies is replaced on the next use; without a listener it would end the process. The pool listens
  // to the idle ones only: one that dies in the middle of a transaction must be listened to itself.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const queue = new Queue(() => pool.connect(), waiting);
  // All on one, whose backend then finds several statements each time it wakes up (an eighth more product reads a second
  // than by turns); only what would wait behind a slow one goes to the next.
  const readLine = () => pipelines.find((pipeline) => !pipeline.isHeldUp) ?? pipelines[PIPELINES - 1]!;

  async function begin(): Promise<Transaction> {
    const client = await queue.take();
    let ended = false;
    const end = async (verb: 'COMMIT' | 'ROLLBACK') => {
      if (ended) return;
      ended = true;
      try {
        await client.query(verb);
        client.release();
      } catch (error) {
        client.release(true);
        if (verb === 'COMMIT') throw error;
      }
    };
    try {
      await client.query('BEGIN');
    } catch (error) {
      client.release(true);
      throw error;
    }
    return {
      writes: true,
      query: async (statement) => {
        try {
          return (await client.query(asQuery(statement))).rows;
        } catch (error) {
          if (hasHung(error)) queue.giveUp(error as Error);
          throw error;
        }
      },
      commit: () => end('COMMIT'),
      rollback: () => end('ROLLBACK'),
    };
  }

  const database: Database = {
    query: (statement) => readLine().query(statement),
    autocommit: { writes: true, query: (statement) => turns.query(statement) },
    begin,
    async transaction(work) {
      const tx = await begin();
      try {
        const result = await work(tx);
        await tx.commit();
        return result;
      } catch (error) {
        await tx.rollback();
        throw error;
      }
    },
    async close() {
      await Promise.all([...pipelines, ...writers].map((line) => line.close()));
      await pool.end();
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

function asQuery(statement: Statement): pg.QueryConfig {
  const query: pg.QueryConfig = { text: statement.text, values: statement.values as unknown[] };
  if (statement.name !== undefined) query.name = statement.name;
  return query;
}
