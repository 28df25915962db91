import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import type { Deadlines } from '../../src/platform/db/settings.js';

const MINUTE = 60_000;

/** Time limits that no test reaches, even on a busy machine. */
export const LONG_DEADLINES: Deadlines = {
  lockMs: MINUTE,
  statementMs: MINUTE,
  answerMs: MINUTE,
  transactionMs: MINUTE,
  connectMs: MINUTE,
  waitMs: MINUTE,
  probeMs: MINUTE,
};

type Connection = { host: string; port: number; user: string; database: string };

/** Creates a copy of the migrated template database. */
export async function cloneDatabase(): Promise<{ connection: Connection; drop(): Promise<void> }> {
  const cluster = inject('cluster');
  const database = `t_${randomBytes(6).toString('hex')}`;
  await run(`create database "${database}" template template_feira strategy file_copy`);
  return {
    connection: { ...cluster, database },
    // The database is dropped by force, because a failed test may have left connections open.
    drop: () => run(`drop database if exists "${database}" with (force)`),
  };
}

/** Returns the environment variables with which the command line uses this database. */
export function databaseEnv(
  { host, port, user, database }: Connection,
  secret: string,
): Record<string, string> {
  return {
    DATABASE_URL: `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`,
    FEIRA_SECRET: secret,
  };
}

let administration: Promise<pg.Client> | undefined;

/** Each test worker creates and drops its databases on one connection, which stays open until the worker ends. */
async function run(statement: string): Promise<void> {
  administration ??= connect();
  await (await administration).query(statement);
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(inject('cluster'));
  await client.connect();
  return client;
}
