import { raw, sql } from '../../../src/platform/db/sql.js';
import type { Fleet } from '../fleet.js';

// Deliberate bugs in the database, to show that the storm test detects them.

/** Makes PostgreSQL acknowledge commits before they are on the disk, and write to the disk rarely. */
export async function commitAsynchronously(fleet: Fleet): Promise<void> {
  // ALTER SYSTEM would have no effect on synchronous_commit, because it is set on the command line of the embedded
  // PostgreSQL.
  await run(fleet, `alter database ${fleet.connection.database} set synchronous_commit = off`);
  await run(fleet, `alter system set wal_writer_delay = '10s'`);
  await run(fleet, `alter system set wal_writer_flush_after = '1GB'`);
  await run(fleet, `select pg_reload_conf()`);
}

/** Adds a trigger that records about one delivery in twenty as delivered, so that it is never sent. */
export function loseDeliveries(fleet: Fleet): Promise<void> {
  return addTrigger(fleet, 'before insert on deliveries', `new.status := 'delivered';`);
}

/** Adds a trigger that duplicates about one event in twenty. */
export function doubleEvents(fleet: Fleet): Promise<void> {
  return addTrigger(
    fleet,
    'before insert on outbox',
    `if new.event is not null and pg_trigger_depth() = 1 then
       insert into outbox (workspace_id, event, data, origin) values (new.workspace_id, new.event, new.data, new.origin);
     end if;`,
  );
}

/** Adds a trigger that stores about half of the changed stock balances one unit too high. */
export function miscountStock(fleet: Fleet): Promise<void> {
  return addTrigger(fleet, 'before update of quantity on products', 'new.quantity := new.quantity + 1;', 0.5);
}

async function addTrigger(fleet: Fleet, when: string, body: string, share = 0.05): Promise<void> {
  await run(
    fleet,
    `create function sabotage() returns trigger language plpgsql as $$
     begin
       if random() < ${share} then ${body} end if;
       return new;
     end $$`,
  );
  await run(fleet, `create trigger sabotage ${when} for each row execute function sabotage()`);
}

async function run(fleet: Fleet, statement: string): Promise<void> {
  await fleet.db.store('test').autocommit.query(sql`${raw(statement)}`);
}
