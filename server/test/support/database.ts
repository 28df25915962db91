import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

type Connection = { host: string; port: number; user: string; database: string };

/** A migrated database for one test. */
export async function cloneDatabase(): Promise<{ connection: Connection; drop(): Promise<void> }> {
  const cluster = inject('cluster');
  const database = `t_${randomBytes(6).toString('hex')}`;
  await run(cluster, `create database "${database}" template template_feira strategy file_copy`);
  return {
    connection: { ...cluster, database },
    // Forced, because a failed test may have left connections open.
    drop: () => run(cluster, `drop database if exists "${database}" with (force)`),
  };
}

async function run(connection: Connection, statement: string): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
