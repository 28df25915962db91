import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const RENEW_MS = 1_000;
/**
 * The holder touches its lock file every second. If the file has not been touched for this long, the holder is
 * considered dead.
 */
const DEAD_AFTER_MS = 10_000;
const ASK_AGAIN_MS = 10;

/** Waits until no other call, in any process on this machine, holds the lock file. Then holds it while `work` runs. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const holder = randomUUID();
  await mkdir(dirname(file), { recursive: true });
  while (!(await tryToLock(file, holder))) {
    await removeIfDead(file);
    await wait(ASK_AGAIN_MS * (1 + Math.random()));
  }
  const renewal = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => {});
  }, RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    if ((await readFile(file, 'utf8').catch(() => '')) === holder) await rm(file, { force: true });
  }
}

/** Tries to create the lock file. With `wx`, this is atomic and fails if the file exists. */
async function tryToLock(file: string, holder: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle.writeFile(holder);
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes the lock of a dead process. If two waiting processes both find the lock dead, the slower one may remove the
 * new lock that the faster one has just created, and both run at the same time. That is harmless: two refreshes of a
 * token have the same Idempotency-Key, and a budget that loses the count of a call is corrected by the headers of a
 * later response.
 */
async function removeIfDead(file: string): Promise<void> {
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }));
  if (Date.now() - mtimeMs < DEAD_AFTER_MS) return;
  const renamed = `${file}.${randomUUID()}`;
  await rename(file, renamed).catch(() => {});
  await rm(renamed, { force: true });
}
