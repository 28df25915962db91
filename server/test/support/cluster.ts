import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/platform/db/migrate.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres/start.ts';
import { memoryOrDisk } from './memory-or-disk.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    cluster: EmbeddedPostgres['connection'];
  }
}

const TEMPLATE = 'template_feira';

/** One PostgreSQL for the whole run, with one migrated database that `cloneDatabase` copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(memoryOrDisk(), 'feira-test-'));
  // Root's PostgreSQL runs under another account, which has to come through.
  chmodSync(folder, 0o711);
  const postgres = await startEmbeddedPostgres({
    folder,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '400' },
  });
  const teardown = async () => {
    await postgres.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await makeTemplate(postgres.connection);
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide('cluster', postgres.connection);
  return teardown;
}

async function makeTemplate(connection: EmbeddedPostgres['connection']): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(`create database ${TEMPLATE}`);
    await migrate({ ...connection, database: TEMPLATE });
    // A database that somebody is connected to cannot be copied.
    await client.query(`alter database ${TEMPLATE} with allow_connections false`);
  } finally {
    await client.end();
  }
}
