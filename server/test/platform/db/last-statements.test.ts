import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/platform/db/database.js';
import type { Tx } from '../../../src/platform/db/share.js';
import { sql } from '../../../src/platform/db/sql.js';
import { cloneDatabase, LONG_DEADLINES } from '../../support/database.js';

describe.each(['pipeline', 'pg'] as const)(
  'the last statements of a transaction, sent by the %s driver',
  (driver) => {
    let cloned: Awaited<ReturnType<typeof cloneDatabase>>;
    let observer: pg.Client;
    let db: Database;

    beforeEach(async () => {
      cloned = await cloneDatabase();
      observer = new pg.Client(cloned.connection);
      await observer.connect();
      await observer.query('create table notes (text text unique)');
      db = await openDatabase(cloned.connection, { driver, deadlines: LONG_DEADLINES });
    });
    afterEach(async () => {
      await observer.end();
      await db.close();
      await cloned.drop();
    });

    const note = (tx: Tx, text: string) => tx.query(sql`insert into notes values (${text})`);
    const notes = async () =>
      (await observer.query<{ text: string }>('select text from notes')).rows.map((row) => row.text);

    test('are committed before the function passed to transaction() returns', async () => {
      const seen = await db.store('a').transaction(async (tx) => {
        await note(tx, 'first');
        await tx.last(() => Promise.all([note(tx, 'second'), note(tx, 'third')]));
        return notes();
      });
      expect(seen).toEqual(['first', 'second', 'third']);
    });

    test('are rolled back together with all others if one of them fails', async () => {
      const work = db.store('a').transaction(async (tx) => {
        await note(tx, 'first');
        await tx.last(() => Promise.all([note(tx, 'second'), note(tx, 'first'), note(tx, 'third')]));
      });
      await expect(work).rejects.toMatchObject({ code: '23505' });
      expect(await notes()).toEqual([]);
      await db.store('a').transaction((tx) => tx.last(() => note(tx, 'later')));
      expect(await notes()).toEqual(['later']);
    });

    test('report the cause of a failure, whichever of their promises is awaited first', async () => {
      const noteLater = async (tx: Tx, text: string) => {
        await note(tx, text);
      };
      const work = db.store('a').transaction(async (tx) => {
        await note(tx, 'first');
        await tx.last(() => Promise.all([noteLater(tx, 'first'), note(tx, 'after the failure')]));
      });
      await expect(work).rejects.toMatchObject({ code: '23505' });
    });

    test('cannot be followed by another statement', async () => {
      const work = db.store('a').transaction(async (tx) => {
        await tx.last(() => note(tx, 'last'));
        await note(tx, 'too late');
      });
      await expect(work).rejects.toThrow('a statement was sent after the end of its transaction');
      expect(await notes()).toEqual(['last']);
    });

    test('are committed only when the caller commits, if it began the transaction itself', async () => {
      const tx = await db.store('a').begin();
      await tx.last(() => note(tx, 'first'));
      expect(await notes()).toEqual([]);
      await note(tx, 'second');
      await tx.commit();
      expect(await notes()).toEqual(['first', 'second']);
    });
  },
);
