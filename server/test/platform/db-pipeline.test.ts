import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clientSettings } from '../../src/platform/db.js';
import { Pipeline } from '../../src/platform/db-pipeline.js';
import { prepared, raw, sql } from '../../src/platform/sql.js';
import { cloneDatabase } from '../support/database.js';

let drop: () => Promise<void>;
let pipeline: Pipeline;
let beside: pg.Client;

beforeEach(async () => {
  const cloned = await cloneDatabase();
  drop = cloned.drop;
  pipeline = new Pipeline(clientSettings(cloned.connection), 10_000);
  await pipeline.ready();
  beside = new pg.Client(cloned.connection);
  await beside.connect();
});
afterEach(async () => {
  await pipeline.close();
  await beside.end();
  await drop();
});

const read = (n: number) => pipeline.query<{ n: number }>(sql`select n from made_later where n = ${n}`);
const makeTable = () => beside.query('create table made_later as select generate_series(1, 9) as n');
const NO_TABLE = { code: '42P01' };

test('whoever was sent behind a statement that cannot be parsed is told why, and the next use parses again', async () => {
  const refused = { status: 'rejected', reason: NO_TABLE };
  expect(await Promise.allSettled([read(1), read(2)])).toMatchObject([refused, refused]);
  await makeTable();
  expect(await read(3)).toEqual([{ n: 3 }]);
  expect(await read(4)).toEqual([{ n: 4 }]);
});

test('one that failed unparsed leaves alone what another has parsed in the meantime', async () => {
  await beside.query('select pg_advisory_lock(1)');
  const first = expect(read(1)).rejects.toMatchObject(NO_TABLE);
  const held = pipeline.query(sql`select pg_advisory_lock(1)`);
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

test('a value that does not fit fails alone: the statement is parsed and its columns are known', async () => {
  await makeTable();
  expect(await Promise.allSettled([read('no number' as never), read(2)])).toMatchObject([
    { status: 'rejected', reason: { code: '22P02' } },
    { status: 'fulfilled', value: [{ n: 2 }] },
  ]);
  expect(await read(3)).toEqual([{ n: 3 }]);
});

test('a connection keeps three hundred statements, and one that it has forgotten works like new', async () => {
  const form = (n: number) => pipeline.query<{ n: number }>(prepared(raw(`select ${n} as n`)));
  for (let n = 0; n < 500; n++) expect(await form(n)).toEqual([{ n }]);
  expect(await Promise.all([form(0), form(499), form(1), form(0)])).toEqual([
    [{ n: 0 }],
    [{ n: 499 }],
    [{ n: 1 }],
    [{ n: 0 }],
  ]);
  const kept = sql`select count(*) as kept from pg_prepared_statements`;
  expect(await pipeline.query(kept)).toEqual([{ kept: 300 }]);
});
