import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/db/database.js';
import { Listener } from '../../src/platform/db/listen.js';
import { migrate } from '../../src/platform/db/migrate.js';
import { sql } from '../../src/platform/db/sql.js';
import { cloneDatabase } from '../support/database.js';
import { startPgBouncer } from '../support/pgbouncer.js';
import { feiraCommand, temporaryFolder, until } from '../support/process.js';

const SECRET = 'a public secret that only tests use';
let cloned: Awaited<ReturnType<typeof cloneDatabase>>;
let pool: Awaited<ReturnType<typeof startPgBouncer>>;

beforeEach(async () => {
  cloned = await cloneDatabase();
});
afterEach(async () => {
  await pool.stop();
  await cloned.drop();
});

function migrateThroughPool(): ReturnType<typeof feiraCommand> {
  const { user, host, port, database } = pool.address;
  const url = `postgresql://${user}@${host}:${port}/${database}`;
  return feiraCommand(['migrate'], { DATABASE_URL: url, FEIRA_SECRET: SECRET });
}

describe.each(['pipeline', 'pg'] as const)('through PgBouncer in session mode, the %s driver', (driver) => {
  let db: Database;
  beforeEach(async () => {
    pool = await startPgBouncer(cloned.connection, 'session');
    db = await openDatabase(pool.address, { driver });
  });
  afterEach(() => db.close());

  test('sets the statement timeouts of system, search and background connections, and the time zone UTC', async () => {
    const limits = sql`select current_setting('statement_timeout') as statement, current_setting('TimeZone') as zone`;
    expect(await db.system('test').query(limits)).toEqual([{ statement: '4s', zone: 'UTC' }]);
    expect(await db.search('test').query(limits)).toEqual([{ statement: '2s', zone: 'UTC' }]);
    expect(await db.background('test').query(limits)).toEqual([{ statement: '30s', zone: 'UTC' }]);
  });

  test('commits transactions on many connections that prepare the same statements', async () => {
    const store = (n: number) => db.store(`store ${n % 3}`);
    const rows = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        store(n).transaction(async (tx) => {
          await tx.query(sql`select pg_advisory_xact_lock(${n})`);
          return tx.query<{ n: number }>(sql`select ${n}::integer as n`);
        }),
      ),
    );
    expect(rows).toEqual(Array.from({ length: 60 }, (_, n) => [{ n }]));
  });

  test('sends notifications that a Listener receives', async () => {
    const listener = new Listener(pool.address);
    const received: string[] = [];
    listener.on('probe', (payload) => void received.push(payload));
    await listener.start();
    await db.system('test').autocommit.query(sql`select pg_notify('probe', 'hello')`);
    await until(() => received.length > 0);
    await listener.close();
    expect(received).toEqual(['hello']);
  });

  test('does not block the migrate command', async () => {
    expect(await migrateThroughPool()).toMatchObject({ code: 0 });
  });
});

test('a migration through PgBouncer names the session that it waits for', async () => {
  pool = await startPgBouncer(cloned.connection, 'session');
  const folder = temporaryFolder();
  const backup = new pg.Client({ ...cloned.connection, application_name: 'pg_dump' });
  await backup.connect();
  try {
    await backup.query('begin; lock table workspaces in access share mode');
    writeFileSync(join(folder.path, '9001_column.sql'), 'alter table workspaces add column probe text');
    const messages: string[] = [];
    const migrating = migrate(pool.address, {
      migrations: pathToFileURL(`${folder.path}/`),
      report: (message) => void messages.push(message),
    });
    await until(() => messages.length > 0);
    await backup.query('commit');
    expect(await migrating).toEqual(['9001_column.sql']);
    expect(messages[0]).toContain('pg_dump');
  } finally {
    await backup.end();
    folder.remove();
  }
});

test('a command rejects PgBouncer in transaction mode and says what to set', async () => {
  pool = await startPgBouncer(cloned.connection, 'transaction');
  const { code, stderr } = await migrateThroughPool();
  expect(code).toBe(2);
  expect(stderr).toContain('pool_mode = session');
});
