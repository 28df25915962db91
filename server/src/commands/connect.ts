import type pg from 'pg';
import type { Clock } from '../platform/clock.js';
import { type Config, readConfig } from '../platform/config.js';
import { type Database, openDatabase } from '../platform/db/database.js';
import { DatabaseClock } from '../platform/db/database-clock.js';
import { MigrationFailed, migrate, pendingMigrations } from '../platform/db/migrate.js';
import { openClient } from '../platform/db/open-client.js';
import { type PlannedMigration, planMigrations } from '../platform/db/plan-migrations.js';
import { hasPooledSessions } from '../platform/db/pooled-sessions.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../platform/embedded-postgres/start.js';
import { UsageError } from './command.js';

export interface Connected {
  connection: pg.ClientConfig;
  /** Undefined if DATABASE_URL is set. */
  embedded: EmbeddedPostgres | undefined;
  close(): Promise<void>;
}

/** Connects like `connect`, and applies the migrations that are missing. */
export async function connectAndMigrate(config: Config): Promise<Connected & { applied: string[] }> {
  return connect(config, async (connection) => ({ applied: await migrateOrExplain(connection) }));
}

async function migrateOrExplain(connection: pg.ClientConfig): Promise<string[]> {
  try {
    return await migrate(connection);
  } catch (error) {
    if (!(error instanceof MigrationFailed)) throw error;
    throw new UsageError(`${error.message}. ${error.remedy}, then run "feira migrate" or start the server.`, {
      code: 'migration_failed',
      cause: error,
    });
  }
}

/** Returns what `connectAndMigrate` would apply. Changes nothing. */
export async function connectAndPlan(config: Config): Promise<PlannedMigration[]> {
  const { plan, close } = await connect(config, async (connection) => ({
    plan: await planMigrations(connection),
  }));
  await close();
  return plan;
}

/**
 * Connects for a command that may run beside a server. Applies no migrations, because that server may be of another
 * version. `refuse` throws, before any connection is opened, if the command does not work with this configuration.
 */
export async function withDatabase<T>(
  work: (db: Database, clock: Clock, config: Config) => Promise<T>,
  refuse: (config: Config) => void = () => {},
): Promise<T> {
  const config = readConfig({}, { existing: true });
  refuse(config);
  const connected = await connect(config, refuseUnlessMigrated);
  try {
    const db = await openDatabase(connected.connection, { driver: config.databaseDriver });
    try {
      const clock = await DatabaseClock.open(db.system('clock'));
      try {
        return await work(db, clock, config);
      } finally {
        clock.close();
      }
    } finally {
      await db.close();
    }
  } finally {
    await connected.close();
  }
}

/** Connects to the database in DATABASE_URL, or to the embedded one, which is started if it is not running. */
async function connect<T>(
  config: Config,
  prepare: (connection: pg.ClientConfig) => Promise<T>,
): Promise<Connected & T> {
  if (config.databaseUrl !== undefined) {
    const connection = { connectionString: config.databaseUrl };
    try {
      await refusePooledSessions(connection);
      return { ...(await prepare(connection)), connection, embedded: undefined, close: async () => {} };
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(
        `DATABASE_URL does not work: ${(error as Error).message}. Run "feira doctor" to find out why.`,
        { code: 'database_unreachable', cause: error },
      );
    }
  }
  const embedded = await startEmbeddedPostgres({ folder: config.dataFolder });
  try {
    const { connection } = embedded;
    return { ...(await prepare(connection)), connection, embedded, close: () => embedded.close() };
  } catch (error) {
    await embedded.close();
    throw error;
  }
}

async function refusePooledSessions(connection: pg.ClientConfig): Promise<void> {
  if (await hasPooledSessions(connection))
    throw new UsageError(
      'DATABASE_URL leads to a connection pool in transaction mode, in which prepared statements, timeouts and LISTEN do not work. Set pool_mode = session in PgBouncer, or connect to PostgreSQL directly.',
      { code: 'database_pooled' },
    );
}

async function refuseUnlessMigrated(connection: pg.ClientConfig): Promise<void> {
  const client = await openClient(connection);
  try {
    const { length } = await pendingMigrations(client);
    if (length > 0)
      throw new UsageError(
        `The database lacks ${length} ${length === 1 ? 'migration' : 'migrations'}. Run "feira migrate" or start the server, then repeat the command.`,
        { code: 'database_outdated' },
      );
  } finally {
    await client.end();
  }
}
