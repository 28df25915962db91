import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '../../../src/platform/db/migrate.js';
import { cloneDatabase } from '../../support/database.js';
import { temporaryFolder, until } from '../../support/process.js';

let connection: pg.ClientConfig;
let drop: () => Promise<void>;
let folder: ReturnType<typeof temporaryFolder>;
const clients: pg.Client[] = [];

beforeEach(async () => {
  ({ connection, drop } = await cloneDatabase());
  folder = temporaryFolder();
  write('9001_notes.sql', 'create table notes (text text)');
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
  folder.remove();
  await drop();
});

const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
const folderUrl = () => pathToFileURL(`${folder.path}/`);

async function open(applicationName: string): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, application_name: applicationName });
  await client.connect();
  clients.push(client);
  return client;
}

test('a migration that waits for a backup does not block writes, names the backup in a message, and is applied after the backup', async () => {
  const messages: string[] = [];
  const options = { migrations: folderUrl(), report: (message: string) => void messages.push(message) };
  expect(await migrate(connection, options)).toEqual(['9001_notes.sql']);
  const backup = await open('pg_dump');
  await backup.query('begin');
  await backup.query('lock table notes in access share mode');

  write('9002_author.sql', 'alter table notes add column author text');
  let applied: string[] | undefined;
  const migrating = migrate(connection, options).then((names) => {
    applied = names;
  });
  const writer = await open('writer');
  await until(async () => {
    await writer.query(`insert into notes (text) values ('written beside the backup')`);
    return messages.length > 0;
  });
  await writer.query(`insert into notes (text) values ('and after the first try')`);
  expect(applied).toBeUndefined();
  expect(messages[0]).toMatch(/9002_author\.sql.*pg_dump/);

  await backup.query('commit');
  await migrating;
  expect(applied).toEqual(['9002_author.sql']);
  await writer.query(`insert into notes (text, author) values ('x', 'y')`);
});

test('a migration that fails changes nothing and is named in the error', async () => {
  write('9002_half.sql', 'create table half (); select 1 / 0');
  await expect(migrate(connection, { migrations: folderUrl() })).rejects.toThrow('9002_half.sql');
  const client = await open('reader');
  const { rows } = await client.query(`select to_regclass('half') as half, to_regclass('notes') as notes`);
  expect(rows).toEqual([{ half: null, notes: 'notes' }]);
});

test('a migration that loses its connection fails with an error and does not end the process', async () => {
  await migrate(connection, { migrations: folderUrl() });
  const backup = await open('pg_dump');
  await backup.query('begin; lock table notes in access share mode');
  write('9002_author.sql', 'alter table notes add column author text');
  const outcome = migrate(connection, { migrations: folderUrl(), report: () => {} }).catch(String);
  await until(async () => {
    const { rows } = await backup.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows.length > 0;
  });
  expect(await outcome).toMatch(/terminat|connection|ECONNRESET/);
});

describe('an index that is built concurrently', () => {
  const INDEX = '-- Finds notes by their text.\ncreate index concurrently notes_by_text on notes (text);\n';
  const isValid = async (client: pg.Client) => {
    const { rows } = await client.query<{ indisvalid: boolean }>(
      `select indisvalid from pg_index where indexrelid = to_regclass('notes_by_text')`,
    );
    return rows.map(({ indisvalid }) => indisvalid);
  };

  test('lets others write to the table while it is built', async () => {
    await migrate(connection, { migrations: folderUrl() });
    const slow = await open('a long transaction');
    await slow.query(`begin; insert into notes (text) values ('before the index')`);
    write('9002_index.sql', INDEX);
    const migrating = migrate(connection, { migrations: folderUrl() });
    const writer = await open('writer');
    // The index exists as soon as its build starts, but becomes valid only when older transactions have ended.
    await until(async () => (await isValid(writer)).length === 1);
    await writer.query(`insert into notes (text) values ('beside the build')`);
    expect(await isValid(writer)).toEqual([false]);
    await slow.query('commit');
    expect(await migrating).toEqual(['9002_index.sql']);
    expect(await isValid(writer)).toEqual([true]);
  });

  test('does not wait for another process that is waiting to migrate', async () => {
    await migrate(connection, { migrations: folderUrl() });
    const slow = await open('a long transaction');
    await slow.query(`begin; insert into notes (text) values ('before the index')`);
    write('9002_index.sql', INDEX);
    const first = migrate(connection, { migrations: folderUrl() });
    const observer = await open('observer');
    await until(async () => (await isValid(observer)).length === 1);
    const second = migrate(connection, { migrations: folderUrl() });
    await until(async () => {
      const { rows } = await observer.query(
        `select 1 from pg_stat_activity where datname = current_database() and query ~ 'advisory_lock' and pid <> pg_backend_pid()`,
      );
      return rows.length > 0;
    });
    await slow.query('commit');
    expect(await Promise.all([first, second])).toEqual([['9002_index.sql'], []]);
  });

  test('may be unique', async () => {
    await migrate(connection, { migrations: folderUrl() });
    write('9002_index.sql', INDEX.replace('create index', 'create unique index'));
    expect(await migrate(connection, { migrations: folderUrl() })).toEqual(['9002_index.sql']);
    const client = await open('writer');
    await client.query(`insert into notes (text) values ('once')`);
    await expect(client.query(`insert into notes (text) values ('once')`)).rejects.toThrow('notes_by_text');
  });

  test('replaces an index of the same name whose build failed', async () => {
    await migrate(connection, { migrations: folderUrl() });
    const client = await open('an earlier attempt');
    await client.query(`insert into notes (text) values ('twice'), ('twice')`);
    await expect(
      client.query('create unique index concurrently notes_by_text on notes (text)'),
    ).rejects.toThrow('notes_by_text');
    expect(await isValid(client)).toEqual([false]);
    write('9002_index.sql', INDEX);
    await migrate(connection, { migrations: folderUrl() });
    expect(await isValid(client)).toEqual([true]);
  });
});
