import type pg from 'pg';
import { parseColumn } from './column-types.js';

/**
 * How long things may take, in milliseconds. The client waits a little longer than the server lets a statement run
 * (`answerMs` > `statementMs`), so that it gives up first only when the server or the network no longer answers.
 */
export interface Deadlines {
  /** Enforced by PostgreSQL. */
  lockMs: number;
  statementMs: number;
  /** After this long without an answer a connection is destroyed. */
  answerMs: number;
  /** A whole transaction, from its first statement to the commit. */
  transactionMs: number;
  connectMs: number;
  /** For a connection, when others of the same store or task are in front. */
  waitMs: number;
}

/**
 * What a session starts with. It speaks UTC. There are no parallel workers and no compilation: both cost milliseconds
 * to start, and the other processors have other requests to serve. Each side notices within seconds that the other is
 * gone; over a Unix socket PostgreSQL ignores the TCP settings.
 */
export function sessionSettings(connection: pg.ClientConfig, deadlines: Deadlines): pg.ClientConfig {
  const { lockMs, statementMs, transactionMs, connectMs } = deadlines;
  const session: Record<string, string | number> = {
    TimeZone: 'UTC',
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: transactionMs,
    max_parallel_workers_per_gather: 0,
    jit: 'off',
    tcp_keepalives_idle: 5,
    tcp_keepalives_interval: 2,
    tcp_keepalives_count: 3,
  };
  return {
    ...connection,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    options: Object.entries(session)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    types: { getTypeParser: parseColumn } as pg.CustomTypesConfig,
  };
}
