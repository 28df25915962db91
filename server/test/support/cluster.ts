import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/platform/db/migrate.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres/start.ts';
import { memoryOrDisk } from './memory-or-disk.ts';
import { PostgresCluster } from './postgres-cluster.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    cluster: EmbeddedPostgres['connection'];
    /** The folder in which the shared test servers store media. */
    sharedFiles: string;
  }
}

const TEMPLATE = 'template_feira';

/** The first three settings trade safety for speed, because test data does not have to survive a crash. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
  // PostgreSQL scans all of its buffers when a database is created or dropped. With a gigabyte, a scan takes 40 ms.
  shared_buffers: '128MB',
};

/**
 * Starts one PostgreSQL for the whole run, with one migrated database that `cloneDatabase` copies. It uses the embedded
 * binaries, or those in the folder that PG_BIN names.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { connection, close } = process.env.PG_BIN ? startInstalled() : await startEmbedded();
  try {
    await makeTemplate(connection);
  } catch (error) {
    await close();
    throw error;
  }
  project.provide('cluster', connection);
  const files = mkdtempSync(join(tmpdir(), 'feira-test-shared-'));
  project.provide('sharedFiles', files);
  return async () => {
    await close();
    await rm(files, { recursive: true, force: true });
  };
}

interface Cluster {
  connection: EmbeddedPostgres['connection'];
  close(): Promise<void>;
}

async function startEmbedded(): Promise<Cluster> {
  const folder = mkdtempSync(join(memoryOrDisk(), 'feira-test-'));
  // When tests run as root, PostgreSQL runs under another account, which must be able to enter the folder.
  chmodSync(folder, 0o711);
  const postgres = await startEmbeddedPostgres({ folder, settings: SETTINGS });
  return {
    connection: postgres.connection,
    async close() {
      await postgres.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function startInstalled(): Cluster {
  const cluster = PostgresCluster.start(SETTINGS, memoryOrDisk());
  return { connection: cluster.connection, close: async () => cluster.close() };
}

async function makeTemplate(connection: EmbeddedPostgres['connection']): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(`create database ${TEMPLATE}`);
    await migrate({ ...connection, database: TEMPLATE });
    // A database with open connections cannot be copied.
    await client.query(`alter database ${TEMPLATE} with allow_connections false`);
  } finally {
    await client.end();
  }
}
