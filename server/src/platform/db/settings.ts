import type pg from 'pg';
import { parseColumn } from './column-types.js';

/**
 * Time limits in milliseconds. The client waits a little longer than the server lets a statement run (`answerMs` >
 * `statementMs`), so the client gives up first only if the server or the network no longer responds.
 */
export interface Deadlines {
  /** `lockMs` and `statementMs` are enforced by PostgreSQL. */
  lockMs: number;
  statementMs: number;
  /** A connection is destroyed if a statement has not been answered after this time. */
  answerMs: number;
  /** Limits a whole transaction, from BEGIN to COMMIT. */
  transactionMs: number;
  connectMs: number;
  /** Limits the wait until a store or task may use a connection. */
  waitMs: number;
  /** An idle connection that does not answer a probe within this time is destroyed. */
  probeMs: number;
}

export function clientSettings(connection: pg.ClientConfig, { connectMs }: Deadlines): pg.ClientConfig {
  return {
    ...connection,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    types: { getTypeParser: parseColumn } as pg.CustomTypesConfig,
  };
}

/**
 * The first statements of a session. The settings are not part of the startup message because PgBouncer rejects or
 * ignores them there. Parallel workers and JIT compilation are off: both take milliseconds to start, and the other CPUs
 * are busy with other requests. With the keepalive settings, PostgreSQL detects within 11 seconds that the client is
 * gone. It ignores them on a Unix socket.
 */
export function setSession({ lockMs, statementMs, transactionMs }: Deadlines): string {
  const settings: Record<string, string | number> = {
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
  return Object.entries(settings)
    .map(([name, value]) => `set ${name} = '${value}'`)
    .join('; ');
}
