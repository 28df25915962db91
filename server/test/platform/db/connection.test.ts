import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/platform/db/connection.js';
import { connectPg } from '../../../src/platform/db/pg-connection.js';
import { connectPipeline } from '../../../src/platform/db/pipeline/pipeline-connection.js';
import { prepared, raw, rawJson, sql } from '../../../src/platform/db/sql.js';
import { DatabaseUnavailable } from '../../../src/platform/db/unavailable.js';
import { cloneDatabase } from '../../support/database.js';

const DEADLINES = {
  lockMs: 10_000,
  statementMs: 10_000,
  answerMs: 10_000,
  transactionMs: 10_000,
  connectMs: 10_000,
  waitMs: 10_000,
  probeMs: 10_000,
};
const NO_TABLE = { code: '42P01' };

describe.each([
  ['pipeline', connectPipeline],
  ['pg', connectPg],
])('a connection of the %s driver', (driver, connect) => {
  let cloned: Awaited<ReturnType<typeof cloneDatabase>>;
  let connection: Connection;
  let beside: pg.Client;

  beforeEach(async () => {
    cloned = await cloneDatabase();
    connection = await connect(cloned.connection, DEADLINES);
    beside = new pg.Client(cloned.connection);
    await beside.connect();
  });
  afterEach(async () => {
    await connection.close();
    await beside.end();
    await cloned.drop();
  });

  const read = (n: number) => connection.query<{ n: number }>(sql`select n from made_later where n = ${n}`);
  const makeTable = () => beside.query('create table made_later as select generate_series(1, 9) as n');

  test('gives each of 50 statements sent at once its own result', async () => {
    const numbers = Array.from({ length: 50 }, (_, n) => n);
    const rows = await Promise.all(numbers.map((n) => connection.query(sql`select ${n}::integer as n`)));
    expect(rows).toEqual(numbers.map((n) => [{ n }]));
    expect(connection.pending).toBe(0);
  });

  test('returns the result of a statement that was sent right before the connection was closed', async () => {
    const closing = await connect(cloned.connection, DEADLINES);
    const answer = closing.query(sql`select 1 as n`);
    await closing.close();
    expect(await answer).toEqual([{ n: 1 }]);
  });

  test('rejects every pending use of a statement that cannot be parsed, and parses it again at the next use', async () => {
    const outcomes = await Promise.allSettled([read(1), read(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(outcomes[0]).toMatchObject({ reason: NO_TABLE });
    await makeTable();
    expect(await read(3)).toEqual([{ n: 3 }]);
    expect(await read(4)).toEqual([{ n: 4 }]);
  });

  test('rejects only the statement that has a value of the wrong type', async () => {
    await makeTable();
    expect(await Promise.allSettled([read('no number' as never), read(2)])).toMatchObject([
      { status: 'rejected', reason: { code: '22P02' } },
      { status: 'fulfilled', value: [{ n: 2 }] },
    ]);
  });

  test('reports the code and the constraint of an error', async () => {
    await beside.query('create table only_once (n integer constraint only_once_n unique)');
    const insert = () => connection.query(sql`insert into only_once values (1)`);
    await insert();
    await expect(insert()).rejects.toMatchObject({ code: '23505', constraint: 'only_once_n' });
  });

  test('keeps at most 300 prepared statements, and further statements still work', async () => {
    const form = (n: number) => connection.query<{ n: number }>(prepared(raw(`select ${n} as n`)));
    for (let n = 0; n < 500; n++) expect(await form(n)).toEqual([{ n }]);
    expect(await Promise.all([form(0), form(499), form(1)])).toEqual([[{ n: 0 }], [{ n: 499 }], [{ n: 1 }]]);
    const [row] = await connection.query<{ kept: number }>(
      sql`select count(*) as kept from pg_prepared_statements`,
    );
    expect(row!.kept).toBeLessThanOrEqual(300);
  });

  test('does not decode a column that is selected with rawJson, and decodes others, even one named json', async () => {
    const [row] = await connection.query<Record<string, unknown>>(
      sql`select ${rawJson(sql`'{"a":"ç"}'`, 'document')}, 'plain' as json`,
    );
    expect(String(row!.document)).toBe('{"a":"ç"}');
    expect(row!.json).toBe('plain');
  });

  test('receives a row of many megabytes completely', async () => {
    const [row] = await connection.query<{ text: string }>(sql`select repeat('ção ', 2000000) as text`);
    expect(row!.text).toHaveLength(8_000_000);
  });

  test('is destroyed when a response is late, and rejects all pending statements', async () => {
    await beside.query('select pg_advisory_lock(1)');
    const impatient = await connect(cloned.connection, { ...DEADLINES, answerMs: 50 });
    const outcomes = await Promise.allSettled([
      impatient.query(sql`select pg_advisory_lock(1)`),
      impatient.query(sql`select 1`),
    ]);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ reason: expect.any(DatabaseUnavailable) });
    expect(impatient.isOpen).toBe(false);
    await expect(impatient.query(sql`select 1`)).rejects.toThrow(DatabaseUnavailable);
  });

  test('notices that PostgreSQL ended the session', async () => {
    const [own] = await connection.query<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    await beside.query('select pg_terminate_backend($1)', [own!.pid]);
    await expect.poll(() => connection.isOpen).toBe(false);
    await expect(connection.query(sql`select 1`)).rejects.toThrow(DatabaseUnavailable);
  });

  test('fails with DatabaseUnavailable if no server listens at the address', async () => {
    const nowhere = { ...cloned.connection, host: '127.0.0.1', port: 1 };
    await expect(connect(nowhere, DEADLINES)).rejects.toThrow(DatabaseUnavailable);
  });

  // pg is left out: it rejects the second use with the error for an unknown prepared statement instead of NO_TABLE.
  if (driver !== 'pg') {
    test('keeps a statement that is being parsed again, even if the error of an earlier use arrives meanwhile', async () => {
      await beside.query('select pg_advisory_lock(1)');
      const first = expect(read(1)).rejects.toMatchObject(NO_TABLE);
      const held = connection.query(sql`select pg_advisory_lock(1)`);
      const second = expect(read(2)).rejects.toMatchObject(NO_TABLE);
      await first;
      await makeTable();
      const third = read(3);
      await beside.query('select pg_advisory_unlock(1)');
      await held;
      await second;
      expect(await third).toEqual([{ n: 3 }]);
      expect(await read(4)).toEqual([{ n: 4 }]);
    });
  }
});
