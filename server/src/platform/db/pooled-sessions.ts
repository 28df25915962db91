import pg from 'pg';

const ATTEMPTS = 5;

/**
 * Whether the address leads to a connection pool that gives a session another backend for each transaction, such as
 * PgBouncer in transaction mode. Prepared statements, settings and LISTEN then do not belong to the session that made
 * them.
 */
export async function hasPooledSessions(connection: pg.ClientConfig): Promise<boolean> {
  const first = new pg.Client(connection);
  await first.connect();
  try {
    // A pool does not report the process id of the backend when a session begins.
    const { processID } = first as unknown as { processID: number };
    if ((await backendOf(first)) === processID) return false;
    const second = new pg.Client(connection);
    await second.connect();
    try {
      // Two sessions that are open at the same time have the same backend only if it is not theirs. Other users of the
      // pool may take it in between, so one comparison is not enough.
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
