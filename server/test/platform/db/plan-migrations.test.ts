import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../../src/platform/db/migrate.js';
import { locksOf } from '../../../src/platform/db/migration-locks.js';
import { planMigrations } from '../../../src/platform/db/plan-migrations.js';
import { cloneDatabase } from '../../support/database.js';
import { temporaryFolder } from '../../support/process.js';

const folder = temporaryFolder();
const migrations = pathToFileURL(`${folder.path}/`);
let connection: pg.ClientConfig;
let drop: () => Promise<void>;
let client: pg.Client;

beforeAll(async () => {
  ({ connection, drop } = await cloneDatabase());
  writeFileSync(
    join(folder.path, '9001_notes.sql'),
    'create table notes (id int, text text); create index notes_by_id on notes (id); create table authors (id int primary key)',
  );
  await migrate(connection, { migrations });
  client = new pg.Client(connection);
  await client.connect();
  await client.query(`insert into notes select n, 'text' from generate_series(1, 500) n; analyze notes`);
});
afterAll(async () => {
  await client.end();
  await drop();
  folder.remove();
});
beforeEach(() => client.query('rollback'));

test('the plan contains the pending migrations with their locks, and none is applied', async () => {
  writeFileSync(join(folder.path, '9002_index.sql'), 'create index notes_by_text on notes (text)');
  const before = await planMigrations(connection, migrations);
  expect(before).toEqual([
    {
      name: '9002_index.sql',
      locks: [{ table: 'notes', lock: 'share', rows: 500, blocks: expect.stringContaining('concurrently') }],
    },
  ]);
  expect(await planMigrations(connection, migrations)).toEqual(before);
});

test.each([
  'alter table notes add column a text',
  'alter table notes add constraint c check (id > 0) not valid',
  'alter table notes add foreign key (id) references authors not valid',
  'alter table notes alter column id type bigint',
  'alter table notes drop column text',
  'create index on notes (text)',
  'create trigger t before update on notes for each row execute function suppress_redundant_updates_trigger()',
  'create table pages (note int, author int references authors)',
  'drop table notes',
  'truncate notes',
  'update notes set id = id',
  `insert into notes values (1, 'x')`,
])(
  'the strongest lock that PostgreSQL takes on the table is the one that the plan predicts: %s',
  async (statement) => {
    const [planned] = locksOf(statement);
    const found = await client.query<{ oid: number }>('select $1::regclass::oid as oid', [planned!.table]);
    await client.query('begin');
    await client.query(statement);
    const { rows } = await client.query<{ mode: string }>(
      'select mode from pg_locks where pid = pg_backend_pid() and relation = $1',
      [found.rows[0]!.oid],
    );
    const modes = rows.map(({ mode }) =>
      mode
        .replace(/Lock$/, '')
        .replace(/(?!^)[A-Z]/g, ' $&')
        .toLowerCase(),
    );
    expect(modes).toContain(planned!.lock);
    const order = ['row exclusive', 'share', 'share row exclusive', 'access exclusive'];
    expect(Math.max(...modes.map((mode) => order.indexOf(mode)))).toBe(order.indexOf(planned!.lock));
  },
);
