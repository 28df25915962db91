import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { runCommand } from '../support/command-line.js';
import { databaseEnv } from '../support/database.js';
import { type Feira, openFeira, TEST_SECRET } from '../support/feira.js';
import { temporaryFolder } from '../support/process.js';

let feira: Feira;
let folder: ReturnType<typeof temporaryFolder>;

beforeAll(async () => {
  feira = await openFeira();
  folder = temporaryFolder();
});
afterAll(async () => {
  await feira.close();
  folder.remove();
});

const COMMANDS = [
  ['migrate'],
  ['store', 'list'],
  ['app', 'list'],
  ['store', 'create', '--name', 'X', '--owner-email', 'x@loja.example', '--owner-password', 'correct horse'],
  ['buy', '--store', 'demo-store'],
  ['listen', '--store', 'demo-store', '--client-id', 'app_x', '--forward-to', 'http://localhost:1'],
];

test('without a database, commands other than serve create nothing, and the error names "feira serve"', async () => {
  for (const args of COMMANDS) {
    const { code, stdout, stderr } = await runCommand(args, {}, { cwd: folder.path });
    expect([args, code, stdout]).toEqual([args, 2, '']);
    expect(stderr).toContain(`FEIRA_DATA (${join(folder.path, '.feira')}) contains no database`);
    expect(stderr).toContain('feira serve');
  }
  expect(readdirSync(folder.path)).toEqual([]);
});

test('doctor creates neither a database nor a folder, and says which command does', async () => {
  const { code, stdout } = await runCommand(['doctor'], {}, { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout).toContain('"feira serve" creates it');
  const env = databaseEnv(feira.connection, TEST_SECRET);
  const beside = await runCommand(['doctor'], { ...env, FEIRA_DATA: join(folder.path, '.feira') });
  expect(beside.stdout).toContain('does not exist; the server creates it if needed');
  expect(existsSync(join(folder.path, '.feira'))).toBe(false);
});

test('doctor reports a lost secret file of an embedded database, and does not create a new one', async () => {
  const data = join(folder.path, 'lost');
  mkdirSync(join(data, 'postgres', 'data'), { recursive: true });
  const { code, stdout } = await runCommand(['doctor'], { FEIRA_DATA: data }, { cwd: folder.path });
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining(`secret file ${join(data, 'secret')} is missing`),
  ]);
  expect(readdirSync(data)).toEqual(['postgres']);
});

test('commands other than serve and migrate do not apply a missing migration', async () => {
  const env = databaseEnv(feira.connection, TEST_SECRET);
  const db = feira.context.db.store('test');
  const names = async () =>
    (await db.query<{ name: string }>(sql`select name from schema_migrations order by name`)).map(
      ({ name }) => name,
    );
  const all = await names();
  // Delete the record of the last migration. None of the commands below may apply that migration.
  await db.autocommit.query(sql`delete from schema_migrations where name = ${all.at(-1)!}`);
  for (const args of COMMANDS.slice(1)) {
    const { code, stderr } = await runCommand([...args, '--json'], env);
    expect([args, code]).toEqual([args, 1]);
    expect(JSON.parse(stderr)).toEqual({
      error: expect.stringContaining('Run "feira migrate"'),
      code: 'database_outdated',
    });
  }
  const { stdout } = await runCommand(['doctor'], env);
  expect(stdout).toContain('payment notifications: not counted, because migrations are pending');
  expect(await names()).toEqual(all.slice(0, -1));
});
