import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/platform/db/database.js';
import { sql } from '../../../src/platform/db/sql.js';
import { isTemporary } from '../../../src/platform/db/unavailable.js';
import { cloneDatabase, LONG_DEADLINES } from '../../support/database.js';
import { until } from '../../support/process.js';

describe.each(['pipeline', 'pg'] as const)('the database through the %s driver', (driver) => {
  let cloned: Awaited<ReturnType<typeof cloneDatabase>>;
  let holder: pg.Client;
  let db: Database;

  beforeEach(async () => {
    cloned = await cloneDatabase();
    holder = new pg.Client(cloned.connection);
    await holder.connect();
    await holder.query('select pg_advisory_lock(1)');
    db = await openDatabase(cloned.connection, { driver, areas: { orders: 8 }, deadlines: LONG_DEADLINES });
  });
  afterEach(async () => {
    await holder.end();
    await db.close();
    await cloned.drop();
  });

  const LOCKED = sql`select pg_advisory_xact_lock_shared(1)`;
  const letGo = () => holder.query('select pg_advisory_unlock(1)');

  /** Starts calls that hang until the lock is released, and counts those that have ended. */
  function hanging(count: number, call: () => Promise<unknown>) {
    let ended = 0;
    const all = Promise.allSettled(Array.from({ length: count }, () => call().finally(() => ended++)));
    return { all, ended: () => ended };
  }

  const connections = async () =>
    (
      await holder.query<{ n: number }>(
        `select count(*)::integer as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
    ).rows[0]!.n;

  test('a store whose reads hang delays no other store', async () => {
    const a = hanging(50, () => db.store('a').query(LOCKED));
    const b = await Promise.all(
      Array.from({ length: 200 }, (_, n) => db.store('b').query(sql`select ${n}::integer as n`)),
    );
    expect(b).toHaveLength(200);
    expect(a.ended()).toBe(0);
    await letGo();
    expect((await a.all).every(({ status }) => status === 'fulfilled')).toBe(true);
  });

  test('a store whose writes and transactions hang delays no other store', async () => {
    const a = hanging(50, () => db.store('a').autocommit.query(LOCKED));
    const aToo = hanging(50, () => db.store('a').transaction((tx) => tx.query(LOCKED)));
    for (let n = 0; n < 100; n++) {
      expect(await db.store('b').autocommit.query(sql`select ${n}::integer as n`)).toEqual([{ n }]);
      expect(await db.store('b').transaction((tx) => tx.query(sql`select ${n}::integer as n`))).toEqual([
        { n },
      ]);
    }
    expect([a.ended(), aToo.ended()]).toEqual([0, 0]);
    await letGo();
    await Promise.all([a.all, aToo.all]);
  });

  test('hanging statements for the orders of a store do not delay its other statements', async () => {
    const orders = hanging(50, () => db.store('a', 'orders').autocommit.query(LOCKED));
    const reads = hanging(50, () => db.store('a', 'orders').query(LOCKED));
    expect(await db.store('a').autocommit.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    expect(await db.store('a').query(sql`select 2 as two`)).toEqual([{ two: 2 }]);
    expect([orders.ended(), reads.ended()]).toEqual([0, 0]);
    await letGo();
    await Promise.all([orders.all, reads.all]);
  });

  test('hanging searches of many stores do not delay other reads', async () => {
    const searches = Array.from({ length: 20 }, (_, n) => hanging(5, () => db.search(`${n}`).query(LOCKED)));
    expect(await db.store('0').query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    expect(await db.store('other').query(sql`select 2 as two`)).toEqual([{ two: 2 }]);
    expect(searches.some(({ ended }) => ended() > 0)).toBe(false);
    await letGo();
    await Promise.all(searches.map(({ all }) => all));
  });

  test('opens fewer than 25 connections, whatever hangs', async () => {
    const all = [];
    for (let store = 0; store < 20; store++) {
      const partition = db.store(`${store}`, store % 2 ? 'orders' : undefined);
      all.push(hanging(5, () => partition.query(LOCKED)).all);
      all.push(hanging(5, () => partition.autocommit.query(LOCKED)).all);
      all.push(hanging(5, () => db.search(`${store}`).query(LOCKED)).all);
      all.push(hanging(2, () => db.system(`task ${store}`).autocommit.query(LOCKED)).all);
      all.push(hanging(2, () => db.background(`job ${store}`).autocommit.query(LOCKED)).all);
      all.push(hanging(2, () => db.stream(`app ${store}`).query(LOCKED)).all);
    }
    await expect.poll(connections).toBeGreaterThan(15);
    // The listener, which is not open in this test, would use one of the 24 connections.
    expect(await connections()).toBeLessThan(24);
    await letGo();
    await Promise.all(all);
    expect(await connections()).toBeLessThan(24);
  });

  test('a transaction is committed when its function returns and rolled back when it throws', async () => {
    await holder.query('create table numbers (n integer)');
    const insert = (n: number) => sql`insert into numbers values (${n})`;
    await db.store('a').transaction((tx) => tx.query(insert(1)));
    const thrown = db.store('a').transaction(async (tx) => {
      await tx.query(insert(2));
      throw new Error('changed my mind');
    });
    await expect(thrown).rejects.toThrow('changed my mind');
    expect(await db.store('a').query(sql`select n from numbers`)).toEqual([{ n: 1 }]);
  });

  test('a statement whose session PostgreSQL has ended fails with a temporary error, and the next call works', async () => {
    const tx = await db.store('a').begin();
    const [row] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    await holder.query('select pg_terminate_backend($1)', [row!.pid]);
    const failed = await tx.query(sql`select 1`).catch((error: unknown) => error);
    expect(isTemporary(failed)).toBe(true);
    await tx.rollback();
    expect(await db.store('a').transaction((again) => again.query(sql`select 1 as one`))).toEqual([
      { one: 1 },
    ]);
  });

  test.each([
    ['a lock that is not released', { lockMs: 50 }, LOCKED],
    ['a statement that takes too long', { statementMs: 50 }, sql`select pg_sleep(60)`],
    ['a missing response', { answerMs: 50 }, sql`select pg_sleep(60)`],
    ['a transaction that takes too long', { transactionMs: 50 }, LOCKED],
  ])('%s causes a temporary error, and later calls work', async (_, deadlines, statement) => {
    const strict = await openDatabase(cloned.connection, { driver, deadlines });
    const store = strict.store('a');
    const failed = await store.transaction((tx) => tx.query(statement)).catch((error: unknown) => error);
    expect(isTemporary(failed)).toBe(true);
    // The same short timeouts apply to this call, so a busy machine may need several attempts.
    await until(() => store.transaction((tx) => tx.query(sql`select 1`)).then(Boolean, () => false));
    await strict.close();
  });
});
