import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { MIGRATIONS, pendingMigrations } from './migrate.js';
import { locksOf, type TableLock } from './migration-locks.js';
import { openClient } from './open-client.js';

export interface PlannedLock extends TableLock {
  /** PostgreSQL's estimate of the number of rows, or null if it has none. */
  rows: number | null;
}

export interface PlannedMigration {
  name: string;
  /**
   * The locks on tables and indexes that already exist, because only those can be in use. Statements whose locks are
   * unknown are included, with the table "unknown".
   */
  locks: PlannedLock[];
}

/** Returns the migrations that are not applied yet, with the locks that they will take. Nothing is applied. */
export async function planMigrations(
  connection: pg.ClientConfig,
  migrations = MIGRATIONS,
): Promise<PlannedMigration[]> {
  const client = await openClient(connection);
  try {
    const sizes = await estimatedRows(client);
    const plan: PlannedMigration[] = [];
    for (const name of await pendingMigrations(client, migrations)) {
      const locks = locksOf(await readFile(new URL(name, migrations), 'utf8'));
      plan.push({ name, locks: locksOnExisting(locks, sizes) });
    }
    return plan;
  } finally {
    await client.end();
  }
}

function locksOnExisting(locks: TableLock[], sizes: Map<string, number | null>): PlannedLock[] {
  // An empty database has no users whom a lock could delay.
  if (sizes.size === 0) return [];
  return locks
    .filter(({ table }) => table === 'unknown' || sizes.has(table))
    .map((lock) => ({ ...lock, rows: sizes.get(lock.table) ?? null }));
}

async function estimatedRows(client: pg.Client): Promise<Map<string, number | null>> {
  const { rows } = await client.query<{ name: string; rows: number }>(
    `select relname as name, reltuples::float8 as rows from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'i', 'I')`,
  );
  return new Map(rows.map(({ name, rows: estimate }) => [name, estimate < 0 ? null : estimate]));
}
