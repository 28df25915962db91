import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { migrate } from '../../src/platform/db/migrate.js';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/start.js';
import { memoryOrDisk } from './memory-or-disk.js';

type Connection = { host: string; port: number; user: string; database: string };

/** A migrated database of the test's own. */
export async function cloneDatabase(): Promise<{ connection: Connection; drop(): Promise<void> }> {
  const cluster = inject('cluster');
  const database = `t_${randomBytes(6).toString('hex')}`;
  await run(cluster, `create database "${database}" template template_feira strategy file_copy`);
  return {
    connection: { ...cluster, database },
    // With force, because a test that failed may have left connections open.
    drop: () => run(cluster, `drop database if exists "${database}" with (force)`),
  };
}

/**
 * A PostgreSQL of the test's own. The feed and delta sync wait for every older transaction of the whole cluster, those
 * of other test files in other databases too; what is to be seen at once needs a cluster where nothing else runs.
 */
export async function ownCluster(): Promise<{ connection: Connection; drop(): Promise<void> }> {
  const folder = mkdtempSync(join(memoryOrDisk(), 'feira-test-'));
  chmodSync(folder, 0o711);
  const { connection, close } = await startEmbeddedPostgres({
    folder,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' },
  });
  await migrate(connection);
  return {
    connection,
    async drop() {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
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
