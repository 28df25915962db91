import type { Clock } from '../platform/clock.js';
import type { Database } from '../platform/db.js';
import { sql } from '../platform/sql.js';
import type { Storage } from './storage.js';

const UNATTACHED_MS = 24 * 60 * 60 * 1000;
const PUT_OFF_MS = 10 * 60 * 1000;
const AT_ONCE = 200;

interface Doomed {
  workspaceId: string;
  key: string;
  staged: boolean;
}

/**
 * Removes the files that are written down for removal, and nothing else. Several may run at once: removing twice is fine.
 * One that cannot be removed is put off, so that it stands in nobody's way, and told of.
 */
export async function sweepFiles(db: Database, clock: Clock, storage: Storage): Promise<void> {
  const time = new Date(clock.now()).toISOString();
  for (;;) {
    const doomed = await db.query<Doomed>(sql`
      select workspace_id as "workspaceId", key, staged from doomed_files
      where remove_at <= greatest(${time}::timestamptz, now()) order by remove_at limit ${AT_ONCE}`);
    if (doomed.length === 0) return;
    const outcomes = await Promise.allSettled(
      doomed.map(({ key, staged }) => (staged ? storage.removeStaged(key) : storage.remove(key))),
    );
    const those = (status: string) => doomed.filter((_file, index) => outcomes[index]?.status === status);
    await forget(db, those('fulfilled'));
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
    if (failures.length > 0) {
      await putOff(db, time, those('rejected'));
      throw new AggregateError(
        failures.map(({ reason }) => reason),
        `${failures.length} of ${doomed.length} files could not be removed`,
      );
    }
    if (doomed.length < AT_ONCE) return;
  }
}

async function forget(db: Database, files: Doomed[]): Promise<void> {
  await db.autocommit.query(sql`
    delete from doomed_files d using jsonb_to_recordset(${JSON.stringify(files)}::jsonb) as r("workspaceId" uuid, key text, staged boolean)
    where d.workspace_id = r."workspaceId" and d.key = r.key and d.staged = r.staged`);
}

async function putOff(db: Database, time: string, files: Doomed[]): Promise<void> {
  await db.autocommit.query(sql`
    update doomed_files d set remove_at = greatest(${time}::timestamptz, now()) + ${PUT_OFF_MS} * interval '1 ms'
    from jsonb_to_recordset(${JSON.stringify(files)}::jsonb) as r("workspaceId" uuid, key text, staged boolean)
    where d.workspace_id = r."workspaceId" and d.key = r.key and d.staged = r.staged`);
}

/** Uploads that nobody attached within a day. The row goes first: what is not attached by then never will be. */
export async function dropUnattached(db: Database, clock: Clock): Promise<void> {
  const before = new Date(clock.now() - UNATTACHED_MS).toISOString();
  await db.autocommit.query(sql`
    with old as (
      delete from uploads where attached_at is null and created_at < ${before} returning workspace_id, key
    )
    insert into doomed_files (workspace_id, key, staged)
    select workspace_id, key, staged from old, (values (true), (false)) both_places(staged)
    on conflict do nothing`);
}
