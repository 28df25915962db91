import pg from 'pg';
import type { Transaction, Tx } from './db.js';
import { Queue, type Waiting } from './db-queue.js';
import type { Statement } from './sql.js';
import { hasHung } from './sql-state.js';

/** Connections that are lent out for a whole transaction each. */
export interface Transactions {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** For the one caller whose transaction spans several hooks of a request. Whoever opens it ends it. */
  begin(): Promise<Transaction>;
  close(): Promise<void>;
}

/** For a free connection. */
const QUEUED_MS = 30_000;

/**
 * With `waiting`, whoever does not get a lock or an answer in time gives up for all that wait for a connection: right
 * only where all wait for the same thing. Elsewhere it would make one store's row everybody's failure.
 */
export function openPool(settings: pg.ClientConfig, most: number, waiting?: Waiting): Transactions {
  const pool = new pg.Pool({
    ...settings,
    max: most,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: QUEUED_MS,
  });
  // A connection that dies is replaced on the next use; without a listener it would end the process. The pool listens
  // to the idle ones only: one that dies in the middle of a transaction must be listened to itself.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const queue = waiting && new Queue(() => pool.connect(), waiting);

  async function begin(): Promise<Transaction> {
    const client = await (queue ? queue.take() : pool.connect());
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
          if (hasHung(error)) queue?.giveUp(error as Error);
          throw error;
        }
      },
      commit: () => end('COMMIT'),
      rollback: () => end('ROLLBACK'),
    };
  }

  return {
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
    close: () => pool.end(),
  };
}

function asQuery(statement: Statement): pg.QueryConfig {
  const query: pg.QueryConfig = { text: statement.text, values: statement.values as unknown[] };
  if (statement.name !== undefined) query.name = statement.name;
  return query;
}
