import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/db.js';
import type { Waiting } from '../../src/platform/db-queue.js';
import { sql } from '../../src/platform/sql.js';
import { cloneDatabase } from '../support/database.js';

const LIMITS = { statementMs: 5_000, lockMs: 200, readMs: 5_000, writers: 1, pooled: 1 };
const LOCKED = { code: '55P03' };

let cloned: Awaited<ReturnType<typeof cloneDatabase>>;
let holder: pg.Client;

beforeEach(async () => {
  cloned = await cloneDatabase();
  holder = new pg.Client(cloned.connection);
  await holder.connect();
  await holder.query('select pg_advisory_lock(1)');
});
afterEach(async () => {
  await holder.end();
  await cloned.drop();
});

/** One transaction waits in vain for a lock, another for the only connection. What becomes of both. */
async function lockedAndQueued(db: Database): Promise<PromiseSettledResult<unknown>[]> {
  try {
    return await Promise.allSettled([
      db.transaction((tx) => tx.query(sql`select pg_advisory_xact_lock(1)`)),
      db.transaction((tx) => tx.query(sql`select 1 as one`)),
    ]);
  } finally {
    await db.close();
  }
}

test('a lock that one transaction does not get is no failure of those that wait for a connection', async () => {
  expect(await lockedAndQueued(await openDatabase(cloned.connection, LIMITS))).toMatchObject([
    { status: 'rejected', reason: LOCKED },
    { status: 'fulfilled', value: [{ one: 1 }] },
  ]);
});

test('where all wait for the same thing, the first who gives up gives up for all', async () => {
  const waiting: Waiting = new Set();
  expect(await lockedAndQueued(await openDatabase(cloned.connection, LIMITS, waiting))).toMatchObject([
    { status: 'rejected', reason: LOCKED },
    { status: 'rejected', reason: LOCKED },
  ]);
});
