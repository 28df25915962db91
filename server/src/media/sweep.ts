import type { Clock } from '../platform/clock.js';
import { deleteInBatches } from '../platform/db/delete-in-batches.js';
import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import type { Storage } from './storage.js';

/** Attaching an upload a second time returns 409 for this long after the first time. After that, its key is unknown. */
const ATTACHED_MS = 30 * 24 * 60 * 60 * 1000;
const DROPPED_AT_ONCE = 1_000;
const UNATTACHED_MS = 24 * 60 * 60 * 1000;
const PUT_OFF_MS = 10 * 60 * 1000;
/** Small, so that several processes can share the work: a process skips the files that another has claimed. */
const BATCH = 50;
/** If a process dies, the files that it claimed are removed by another process after this time. */
const CLAIM_MS = 2 * 60 * 1000;

interface FileToRemove {
  workspaceId: string;
  key: string;
  staged: boolean;
}

/**
 * Removes the files that are queued for removal. Several processes may do this at the same time: each claims its own
 * batch, and no transaction is open during storage operations. A file that cannot be removed is postponed, and an error
 * is thrown after its batch. The next sweep continues with the other files.
 */
export async function sweepFiles(db: Share, clock: Clock, storage: Storage): Promise<void> {
  for (;;) {
    const files = await claimBatch(db, clock);
    const outcomes = await Promise.allSettled(
      files.map(({ key, staged }) => (staged ? storage.removeStaged(key) : storage.remove(key))),
    );
    const withStatus = (status: string) => files.filter((_file, index) => outcomes[index]?.status === status);
    await forget(db, withStatus('fulfilled'));
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
    if (failures.length > 0) {
      await postpone(db, clock, withStatus('rejected'));
      throw new AggregateError(
        failures.map(({ reason }) => reason),
        `${failures.length} of ${files.length} files could not be removed`,
      );
    }
    if (files.length < BATCH) return;
  }
}

/** Claims files by moving their removal time into the future. If the process dies, they become due again. */
function claimBatch(db: Share, clock: Clock): Promise<FileToRemove[]> {
  const now = new Date(clock.now()).toISOString();
  return db.autocommit.query<FileToRemove>(sql`
    with due as (
      select workspace_id, key, staged from files_to_delete
      where remove_at <= greatest(${now}::timestamptz, now())
      order by remove_at limit ${BATCH} for update skip locked
    )
    update files_to_delete d set remove_at = greatest(${now}::timestamptz, now()) + ${CLAIM_MS} * interval '1 ms'
    from due where d.workspace_id = due.workspace_id and d.key = due.key and d.staged = due.staged
    returning d.workspace_id as "workspaceId", d.key, d.staged`);
}

async function forget(db: Share, files: FileToRemove[]): Promise<void> {
  if (files.length === 0) return;
  await db.autocommit.query(sql`
    delete from files_to_delete d using jsonb_to_recordset(${JSON.stringify(files)}::jsonb) as r("workspaceId" uuid, key text, staged boolean)
    where d.workspace_id = r."workspaceId" and d.key = r.key and d.staged = r.staged`);
}

async function postpone(db: Share, clock: Clock, files: FileToRemove[]): Promise<void> {
  const time = new Date(clock.now()).toISOString();
  await db.autocommit.query(sql`
    update files_to_delete d set remove_at = greatest(${time}::timestamptz, now()) + ${PUT_OFF_MS} * interval '1 ms'
    from jsonb_to_recordset(${JSON.stringify(files)}::jsonb) as r("workspaceId" uuid, key text, staged boolean)
    where d.workspace_id = r."workspaceId" and d.key = r.key and d.staged = r.staged`);
}

/**
 * Drops uploads that were not attached within a day, so that their keys can no longer be attached, and queues their
 * files for removal. Also drops the rows of uploads that were attached long ago. Works in batches, because there may be
 * any number of uploads after an outage.
 */
export async function dropUnattached(db: Share, clock: Clock): Promise<void> {
  const before = new Date(clock.now() - UNATTACHED_MS).toISOString();
  for (;;) {
    const [row] = await db.autocommit.query<{ dropped: number }>(sql`
      with old as (
        delete from uploads where ctid = any(array(
          select ctid from uploads where attached_at is null and created_at < ${before}
          limit ${DROPPED_AT_ONCE} for update skip locked))
        returning workspace_id, key
      ),
      expired as (
        insert into files_to_delete (workspace_id, key, staged)
        select workspace_id, key, staged from old, (values (true), (false)) both_places(staged)
        on conflict do nothing
      )
      select count(*) as dropped from old`);
    if (row!.dropped < DROPPED_AT_ONCE) break;
  }
  await deleteInBatches(
    db,
    'uploads',
    sql`attached_at < ${new Date(clock.now() - ATTACHED_MS).toISOString()}`,
  );
}
