import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { runCommand } from '../support/command-line.js';
import { databaseEnv } from '../support/database.js';
import { type Feira, openFeira, TEST_SECRET } from '../support/feira.js';

let feira: Feira;
let env: Record<string, string>;

beforeAll(async () => {
  feira = await openFeira();
  env = databaseEnv(feira.connection, TEST_SECRET);
});
afterAll(() => feira.close());

test('migrate --plan reports that the database is up to date', async () => {
  expect((await runCommand(['migrate', '--plan'], env)).stdout).toBe('The database is up to date.\n');
});

test('migrate --plan shows the locks of pending migrations and what is wrong with them, and applies nothing', async () => {
  const db = feira.context.db.store('test');
  await db.autocommit.query(
    sql`delete from schema_migrations where name in ('0069_checked_payments.sql', '0076_boleto_due_dates.sql')`,
  );
  const { code, stdout } = await runCommand(['migrate', '--plan'], env);
  expect(code).toBe(0);
  const lines = stdout.split('\n').map((line) => line.replace(/ {2,}/g, '|'));
  expect(lines[0]).toBe('MIGRATION|TABLE|LOCK|ROWS|WRITERS');
  expect(stdout).toMatch(
    /^0076_boleto_due_dates\.sql +sandbox_payments +access exclusive +\w+ +wait briefly$/m,
  );
  expect(stdout).toMatch(/^0069_checked_payments\.sql +payment_notifications +share +\w+ +SEE BELOW$/m);
  expect(stdout).toContain(
    '0069_checked_payments.sql, table payment_notifications: the index is built while writes wait.',
  );
  // If the first call had applied the migrations, the plan would now be empty.
  expect((await runCommand(['migrate', '--plan'], env)).stdout).toBe(stdout);
  const { pending } = JSON.parse((await runCommand(['migrate', '--plan', '--json'], env)).stdout);
  expect(pending.map(({ name }: { name: string }) => name)).toEqual([
    '0069_checked_payments.sql',
    '0076_boleto_due_dates.sql',
  ]);
});
