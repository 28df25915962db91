import type pg from 'pg';
import { openClient } from './open-client.js';

const ATTEMPTS = 5;

/**
 * Returns whether the address leads to a connection pool that may use another backend for each transaction, such as
 * PgBouncer in transaction mode. With such a pool, prepared statements, settings and LISTEN do not stay with the
 * session that issued them.
 */
export async function hasPooledSessions(connection: pg.ClientConfig): Promise<boolean> {
  const first = await openClient(connection);
  try {
    // PostgreSQL reports the process id of the backend when a session begins. A pool does not report the real one.
    const { processID } = first as unknown as { processID: number };
    if ((await backendOf(first)) === processID) return false;
    const second = await openClient(connection);
    try {
      // If two open sessions report the same backend, it belongs to a pool that they share. Other clients of the pool
      // may take that backend between the two queries, so the comparison is repeated.
      for (let left = ATTEMPTS; left > 0; left--)
        if ((await backendOf(first)) === (await backendOf(second))) return true;
      return false;
    } finally {
      await second.end();
    }
  } finally {
    await first.end();
  }
}

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid;
}
