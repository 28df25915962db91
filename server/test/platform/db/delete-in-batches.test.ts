import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteInBatches } from '../../../src/platform/db/delete-in-batches.js';
import { sql } from '../../../src/platform/db/sql.js';
import { type Feira, openFeira } from '../../support/feira.js';

let feira: Feira;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());

test('deletes old rows in batches, skips those that another transaction has locked, and deletes nothing else', async () => {
  const db = feira.context.db.background('test');
  const store = feira.context.db.store('test');
  await store.autocommit.query(sql`
    insert into payment_notifications (id, received_at)
    select n::text, now() - n * interval '1 hour' from generate_series(1, 48) n`);
  const ids = async () =>
    (await store.query<{ id: string }>(sql`select id from payment_notifications order by id::integer`)).map(
      ({ id }) => Number(id),
    );
  const day = Array.from({ length: 23 }, (_, n) => n + 1);
  const old = sql`received_at <= now() - interval '24 hours'`;

  const holder = await store.begin();
  await holder.query(sql`select from payment_notifications where id = '30' for update`);
  await deleteInBatches(db, 'payment_notifications', old, 7);
  expect(await ids()).toEqual([...day, 30]);
  await holder.rollback();
  await deleteInBatches(db, 'payment_notifications', old, 7);
  expect(await ids()).toEqual(day);
});
