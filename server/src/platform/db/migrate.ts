import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { openClient } from './open-client.js';

export const MIGRATIONS = new URL('../../../migrations/', import.meta.url);
// An arbitrary advisory lock number, unique within Feira. It must be the same in every version, so that old and new
// processes wait for each other.
const LOCK = 7_263_415;
/**
 * While ALTER TABLE waits for a lock, for example one held by a backup, all later statements on the table wait behind
 * it. Without this limit, they would wait until the backup ends. A migration therefore gives up quickly and tries again
 * later.
 */
const LOCK_TIMEOUT_MS = 1_000;
const MAX_ATTEMPTS = 40;
const MAX_PAUSE_MS = 10_000;
const TURN_MS = 200;
const LOCK_NOT_AVAILABLE = '55P03';
/**
 * Matches a migration that builds an index without blocking writes to the table. PostgreSQL does not allow this in a
 * transaction, so such a statement is in a file of its own.
 */
const CONCURRENT_INDEX = /^(?:--.*\n)*create (?:unique )?index concurrently (\w+)/i;
/**
 * Matches the other migrations that cannot run in a transaction: one that drops an index without blocking its table, and
 * one that calls a procedure, which commits after each batch of rows. If it is interrupted, it is run again as a whole.
 */
const WITHOUT_TRANSACTION = /^(?:--.*\n)*(?:drop index concurrently if exists|call) \w+/i;

export interface MigrateOptions {
  /** The folder with the SQL files. Only tests set it. */
  migrations?: URL;
  /** Called with a message before each retry of a migration that could not get a lock. */
  report?: (message: string) => void;
}

/** Applies the missing migrations in the order of their file names and returns these names. */
export async function migrate(
  connection: pg.ClientConfig,
  { migrations = MIGRATIONS, report = writeToStderr }: MigrateOptions = {},
): Promise<string[]> {
  const client = await openClient(connection);
  try {
    await takeTurn(client);
    await client.query(
      'create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null default now())',
    );
    const missing = await pendingMigrations(client, migrations);
    const findBlockers = await blockersOf(connection, client);
    for (const name of missing) {
      const text = await readFile(new URL(name, migrations), 'utf8');
      await applyWhenUnlocked(client, { name, text }, findBlockers, report);
    }
    return missing;
  } finally {
    await client.end();
  }
}

/**
 * Waits until no other process is migrating. The lock is polled because a statement that waits for it holds a snapshot.
 * CREATE INDEX CONCURRENTLY in the process with the lock waits for all older snapshots, so the two would deadlock.
 */
async function takeTurn(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      LOCK,
    ]);
    if (rows[0]!.taken) return;
    await delay(TURN_MS);
  }
}

export async function pendingMigrations(client: pg.Client, migrations = MIGRATIONS): Promise<string[]> {
  const files = (await readdir(migrations)).filter((name) => name.endsWith('.sql')).sort();
  const known = await client.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  if (!known.rows[0]?.exists) return files;
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations');
  const applied = new Set(rows.map((row) => row.name));
  return files.filter((name) => !applied.has(name));
}

/** The database accepted the connection, but a migration failed. */
export class MigrationFailed extends Error {
  constructor(
    message: string,
    /** What to do before the migration is started again, as an imperative without a full stop. */
    readonly remedy: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

interface Migration {
  name: string;
  text: string;
}

async function applyWhenUnlocked(
  client: pg.Client,
  migration: Migration,
  findBlockers: FindBlockers,
  report: (message: string) => void,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const watch = watchBlockers(findBlockers);
    try {
      return await apply(client, migration);
    } catch (error) {
      if ((error as pg.DatabaseError).code !== LOCK_NOT_AVAILABLE)
        throw new MigrationFailed(
          `Migration ${migration.name} failed: ${(error as Error).message}`,
          'Correct the cause',
          { cause: error },
        );
      const blocked = `Migration ${migration.name} could not get a lock held by ${await watch.blockers}`;
      if (tries === MAX_ATTEMPTS)
        throw new MigrationFailed(
          `${blocked}. Gave up after ${MAX_ATTEMPTS} attempts`,
          'End that transaction',
        );
      const pauseMs = Math.min(MAX_PAUSE_MS, 500 * 2 ** (tries - 1));
      report(`${blocked}. Retrying in ${pauseMs / 1000} s`);
      await delay(pauseMs);
    } finally {
      watch.stop();
    }
  }
}

async function apply(client: pg.Client, { name, text }: Migration): Promise<void> {
  const index = CONCURRENT_INDEX.exec(text)?.[1];
  // An interrupted build may have left an invalid index behind.
  if (index !== undefined) await client.query(`drop index concurrently if exists ${index}`);
  if (index !== undefined || WITHOUT_TRANSACTION.test(text)) {
    await client.query(text);
    await client.query('insert into schema_migrations (name) values ($1)', [name]);
    return;
  }
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query(text);
    await client.query('insert into schema_migrations (name) values ($1)', [name]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** Looks for the blocking sessions while a migration waits, because the error of a lock timeout does not name them. */
function watchBlockers(findBlockers: FindBlockers): { blockers: Promise<string>; stop(): void } {
  let found = 'another transaction';
  let looked = Promise.resolve();
  const look = async () => {
    const names = await findBlockers().catch(() => []);
    if (names.length > 0) found = names.join(', ');
  };
  const timer = setInterval(() => {
    looked = look();
  }, LOCK_TIMEOUT_MS / 2);
  return {
    get blockers() {
      return looked.then(() => found);
    },
    stop: () => clearInterval(timer),
  };
}

type FindBlockers = () => Promise<string[]>;

/**
 * Returns a function that uses a second connection to find the sessions that block the client. The process id of the
 * client is queried, because with PgBouncer in between, the id that pg received at the start of the session is not the
 * id of the PostgreSQL process.
 */
async function blockersOf(connection: pg.ClientConfig, client: pg.Client): Promise<FindBlockers> {
  const session = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return async () => {
    const observer = await openClient(connection);
    try {
      const { rows } = await observer.query<{ blocker: string }>(
        `select format('%s (process %s, user %s, in a transaction since %s UTC)', coalesce(nullif(application_name, ''), 'a client'),
           pid, usename, to_char(xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')) as blocker
         from pg_stat_activity where pid = any(pg_blocking_pids($1))`,
        [session.rows[0]!.pid],
      );
      return rows.map((row) => row.blocker);
    } finally {
      await observer.end();
    }
  };
}

function writeToStderr(message: string): void {
  process.stderr.write(`feira: ${message}\n`);
}
