import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEmbeddedPostgres } from '../../../src/platform/embedded-postgres/start.js';
import {
  openFolder,
  placeOf,
  postmasterPid,
  query,
  sharedFolder,
  startUser,
  stopped,
} from '../../support/embedded-postgres.js';

const shared = sharedFolder();

describe('the embedded PostgreSQL', () => {
  it('stops when the only process that uses it is killed, and committed data is there after the next start', async () => {
    const user = await startUser({ folder: shared });
    await query(user.connection, 'create table kept as select 42 as answer');
    const pid = postmasterPid(shared);
    user.process.kill('SIGKILL');
    await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false);
    await stopped(placeOf(shared));

    const next = await startEmbeddedPostgres({ folder: shared });
    expect(next.started).toBe(true);
    expect(await query(next.connection, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await next.close();
  });

  it('is shared by two processes that start at the same time in a new folder', async () => {
    const folder = openFolder();
    const users = await Promise.all([startUser({ folder }), startUser({ folder })]);
    expect(users.map((user) => user.started).sort()).toEqual([false, true]);
    const [first, second] = users.map((user) => user.connection);
    await query(first!, 'create table seen_by_both ()');
    await query(second!, 'select from seen_by_both');
    expect(readdirSync(placeOf(folder)).filter((name) => name.startsWith('initdb-'))).toEqual([]);
  });

  it('keeps running for a second process when the process that started it ends', async () => {
    const first = await startUser({ folder: shared });
    const second = await startEmbeddedPostgres({ folder: shared });
    expect([first.started, second.started]).toEqual([true, false]);
    const pid = postmasterPid(shared);
    await first.close();
    await query(second.connection, 'select 1');
    expect(postmasterPid(shared)).toBe(pid);
    await second.close();
  });

  it('has stopped when `close` returns in the last process that uses it', async () => {
    const only = await startEmbeddedPostgres({ folder: shared });
    const pid = postmasterPid(shared);
    await only.close();
    expect(isAlive(pid)).toBe(false);
    expect(readdirSync(placeOf(shared)).filter((name) => name.startsWith('users-'))).toEqual([]);
  });

  it('whose parent process (the keeper) was killed is taken over by the next process that uses it', async () => {
    const user = await startUser({ folder: shared });
    const pid = postmasterPid(shared);
    const keeper = parentOf(pid);
    process.kill(keeper, 'SIGKILL');
    await expect.poll(() => parentOf(pid), { timeout: 60_000 }).not.toBe(keeper);
    user.process.kill('SIGKILL');

    const heir = await startEmbeddedPostgres({ folder: shared });
    expect(postmasterPid(shared)).toBe(pid);
    await heir.close();
    expect(existsSync(join(placeOf(shared), 'data', 'postmaster.pid'))).toBe(false);
  });

  it('starts again after it was killed, even while a process that used it is still running', async () => {
    const user = await startUser({ folder: shared });
    const pid = postmasterPid(shared);
    process.kill(pid, 'SIGKILL');
    const next = await startEmbeddedPostgres({ folder: shared });
    await user.close();
    await query(next.connection, 'select 1');
    await next.close();
  });

  it('does not start with an invalid setting, and the error names the setting', async () => {
    await expect(startEmbeddedPostgres({ folder: shared, settings: { no_such: 'x' } })).rejects.toThrow(
      /unrecognized configuration parameter "no_such"/,
    );
  });
});

function parentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)]));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
