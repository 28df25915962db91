import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { locksOf } from '../../../src/platform/db/migration-locks.js';
import { ROOT } from '../../support/process.js';

const FOLDER = join(ROOT, 'server/migrations');

/**
 * The migrations that the check (locksOf) would refuse. They are older than the check, and ran while databases were
 * small or with the server stopped. Do not add others: the running version must be able to write during a new
 * migration.
 */
const OLDER_THAN_THE_CHECK = new Set([
  '0001_ground.sql',
  '0003_consent.sql',
  '0004_webhooks.sql',
  '0007_found_by_code.sql',
  '0011_checkout_limits.sql',
  '0021_account_origin.sql',
  '0025_json_numbers.sql',
  '0030_outbox.sql',
  '0031_delivery_queues.sql',
  '0032_purges.sql',
  '0046_subscription_filters.sql',
  '0050_variation_times.sql',
  '0063_payment_notifications.sql',
  '0069_checked_payments.sql',
  '0077_images_of_options.sql',
  '0078_fill_lowest_prices.sql',
]);

const blockers = (text: string) => locksOf(text).filter(({ blocks }) => blocks !== undefined);

describe('a migration is refused', () => {
  test.each([
    ['an index that is not built concurrently', 'create index on orders (total)', 'concurrently'],
    [
      'a unique index that is not built concurrently',
      'create unique index o on orders (total)',
      'concurrently',
    ],
    [
      'a constraint that checks all rows',
      'alter table orders add constraint c check (total > 0)',
      'not valid',
    ],
    [
      'a foreign key that checks all rows',
      'alter table orders add foreign key (a) references b',
      'not valid',
    ],
    [
      'a column that references another table',
      'alter table orders add column a uuid references b',
      'not valid',
    ],
    ['a change of the type of a column', 'alter table orders alter column total type bigint', 'rewritten'],
    ['a NOT NULL column without a default', 'alter table orders add a text not null', 'default'],
    [
      'a default that differs for each row',
      'alter table orders add a uuid default gen_random_uuid()',
      'rewritten',
    ],
    ['a generated column', 'alter table o add a int generated always as (b * 2) stored', 'rewritten'],
    ['NOT NULL for an existing column', 'alter table orders alter a set not null', 'not valid'],
    ['a renamed table', 'alter table orders rename to sales', 'old name'],
    ['a renamed column', 'alter table orders rename column a to b', 'old name'],
    ['an update of all rows', 'update orders set total = 0', 'batches'],
    ['a copy of rows', 'insert into a select * from orders', 'batches'],
    ['an explicit lock', 'lock table orders', 'unknown'],
    ['a DO block', 'do $$ begin update orders set a = 1; end $$', 'unknown'],
    [
      'an ALTER TABLE whose second action changes a type',
      'alter table o add a int, alter b type text',
      'rewritten',
    ],
  ])('with %s', (_what, text, remedy) => {
    const [found, ...others] = blockers(text);
    expect(others).toEqual([]);
    expect(found?.blocks).toContain(remedy);
  });
});

describe('a migration is accepted', () => {
  test.each([
    ['an index that is built concurrently', '-- why\ncreate index concurrently a on orders (b);'],
    ['a column without a default', 'alter table orders add column a text'],
    ['a column with a constant default', `alter table orders add column a text not null default 'x; update'`],
    [
      'a column with the current time as default',
      'alter table orders add column a timestamptz not null default now()',
    ],
    ['a constraint that checks only new rows', 'alter table orders add constraint c check (a > 0) not valid'],
    ['the validation of an existing constraint', 'alter table orders validate constraint c'],
    ['a constraint that uses an existing index', 'alter table o add constraint c unique using index i'],
    [
      'a new table with indexes and rows',
      'create table a (b int); create index on a (b); insert into a select 1',
    ],
    [
      'a function',
      'create or replace function f() returns int language sql as $$ update a set b = 1; select 1 $$',
    ],
    [
      'a procedure that changes rows in batches',
      'create procedure f() language plpgsql as $$ begin update a set b = 1; commit; end $$; call f()',
    ],
    ['an index that is dropped concurrently', 'drop index concurrently if exists a'],
    ['a new statistics target for an index', 'alter index i alter column 1 set statistics 0'],
    [
      'a renamed table that has a view with the old name',
      'alter table a rename to b; create view a as select * from b',
    ],
    ['a dropped column', 'alter table orders drop column a'],
  ])('with %s', (_what, text) => {
    expect(blockers(text)).toEqual([]);
  });
});

test('changing the statistics target of a column does not block reads or writes', () => {
  expect(locksOf('alter table a alter column b set statistics 0')).toEqual([
    { table: 'a', lock: 'share update exclusive' },
  ]);
});

test('dropping an index blocks reads and writes unless it is dropped concurrently', () => {
  expect(locksOf('drop index concurrently if exists i')).toEqual([
    { table: 'i', lock: 'share update exclusive' },
  ]);
  expect(locksOf('drop index i')).toEqual([{ table: 'i', lock: 'access exclusive' }]);
});

test('attaching a partition locks it while its rows are checked, but does not block reads or writes of the partitioned table', () => {
  expect(locksOf('alter table a attach partition b for values in (1)')).toEqual([
    { table: 'a', lock: 'share update exclusive' },
    { table: 'b', lock: 'access exclusive', blocks: expect.stringContaining('rows are checked') },
  ]);
});

test('a foreign key of a new table is reported as a lock on the referenced table', () => {
  expect(locksOf('create table a (b uuid references stores (id))')).toEqual([
    { table: 'stores', lock: 'share row exclusive' },
  ]);
});

const files = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'));

test.each(files.filter((name) => !OLDER_THAN_THE_CHECK.has(name)))('%s is accepted', (name) => {
  expect(blockers(readFileSync(join(FOLDER, name), 'utf8'))).toEqual([]);
});

test('the list of older migrations contains exactly those that would be refused', () => {
  const blocking = files.filter((name) => blockers(readFileSync(join(FOLDER, name), 'utf8')).length > 0);
  expect(blocking).toEqual([...OLDER_THAN_THE_CHECK]);
});
