import type pg from 'pg';
import type { Clock } from '../platform/clock.js';
import { type Config, readConfig } from '../platform/config.js';
import { type Database, openDatabase } from '../platform/db/database.js';
import { DatabaseClock } from '../platform/db/database-clock.js';
import { migrate } from '../platform/db/migrate.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../platform/embedded-postgres/start.js';
import { UsageError } from './command.js';

export interface Connected {
  connection: pg.ClientConfig;
  applied: string[];
  /** Undefined with DATABASE_URL. */
  embedded: EmbeddedPostgres | undefined;
  close(): Promise<void>;
}

/** The database of the configuration, up to date: the one DATABASE_URL names, or the embedded one, started or joined. */
export async function connect(config: Config): Promise<Connected> {
  if (config.databaseUrl !== undefined) {
    const connection = { connectionString: config.databaseUrl };
    try {
      const applied = await migrate(connection);
      return { connection, applied, embedded: undefined, close: async () => {} };
    } catch (error) {
      throw new UsageError(
        `DATABASE_URL does not work: ${(error as Error).message}. "feira doctor" says more`,
        { cause: error },
      );
    }
  }
  const embedded = await startEmbeddedPostgres({ folder: config.dataFolder });
  try {
    return {
      connection: embedded.connection,
      applied: await migrate(embedded.connection),
      embedded,
      close: () => embedded.close(),
    };
  } catch (error) {
    await embedded.close();
    throw error;
  }
}

/** For a command that does one thing and ends. It works beside a running server. */
export async function withDatabase<T>(work: (db: Database, clock: Clock) => Promise<T>): Promise<T> {
  const config = readConfig();
  const connected = await connect(config);
  try {
    const db = await openDatabase(connected.connection, { driver: config.databaseDriver });
    try {
      const clock = await DatabaseClock.open(db.system('clock'));
      try {
        return await work(db, clock);
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
