import { randomBytes } from 'node:crypto';
import { closeSync, constants, existsSync, linkSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isServing } from './database.js';
import { openFifo, spawnKeeper } from './keeper.js';
import type { ClusterLocation } from './location.js';
import type { Postmaster } from './postmaster.js';

/**
 * An open writing end of a FIFO. The keeper, a process that reads the FIFO, stops PostgreSQL when all writing ends are
 * closed. The kernel closes the ends of a process even if it was killed.
 */
export interface Lease {
  fifo: string;
  writer: number;
}

/**
 * Returns undefined if PostgreSQL is stopping or has exited, if its keeper does not answer, or if another process is
 * taking it over at the same time.
 */
export async function acquireLease(
  location: ClusterLocation,
  postmaster: Postmaster,
): Promise<Lease | undefined> {
  // A suffix above 0 belongs to a keeper that took over after its predecessor was killed.
  for (let successor = 0; ; successor++) {
    const fifo = join(location.folder, `users-${postmaster.pid}-${successor}`);
    const writer = openIfRead(fifo);
    if (writer === 'unread') continue;
    if (writer !== 'absent') return keeperAnswers({ fifo, writer });
    // PostgreSQL's lock file alone does not prove that PostgreSQL is running: after a reboot, the pid in the file may
    // belong to any process.
    return (await isServing(postmaster)) ? adopt(location, postmaster, fifo) : undefined;
  }
}

/**
 * Closes our end of the FIFO and waits until PostgreSQL has stopped, at most 10 s. Does not wait if other processes
 * still use PostgreSQL, or if no keeper is left to stop it.
 */
export async function releaseLease(lease: Lease): Promise<void> {
  const kept = write(lease.writer) === 'ok';
  const probe = kept ? openReader(lease.fifo) : undefined;
  closeSync(lease.writer);
  if (probe === undefined) return;
  const deadline = Date.now() + 10_000;
  // Removing the FIFO is the keeper's last step.
  while (noWriterRemains(probe) && existsSync(lease.fifo) && Date.now() < deadline) await delay(10);
  closeSync(probe);
}

/**
 * A FIFO can still be opened when its keeper has already seen the end of the file and is about to stop PostgreSQL. If
 * the keeper answers after we have opened the FIFO, it is still reading, and it will not see the end of the file before
 * we close our end.
 */
async function keeperAnswers(lease: Lease): Promise<Lease | undefined> {
  const answer = `${lease.fifo}.answer`;
  rmSync(answer, { force: true });
  // The request (a newline) is written repeatedly, because a process that releases its lease may read it instead of the
  // keeper, and a process that starts may delete the answer.
  for (let round = 0; round < 100 && write(lease.writer) !== 'EPIPE'; round++) {
    for (let look = 0; look < 20; look++) {
      if (existsSync(answer)) return lease;
      await delay(5);
    }
  }
  closeSync(lease.writer);
  return undefined;
}

/** Takes over a running PostgreSQL whose keeper was killed. */
async function adopt(
  location: ClusterLocation,
  postmaster: Postmaster,
  fifo: string,
): Promise<Lease | undefined> {
  const draft = join(location.folder, `users-${process.pid}-${randomBytes(4).toString('hex')}`);
  const ends = await openFifo(location, draft);
  try {
    // link fails if the name exists, so only one process can start a keeper. With two keepers, each would stop
    // PostgreSQL when its own users are gone, even if users of the other still need it.
    linkSync(draft, fifo);
  } catch (error) {
    closeSync(ends.writer);
    closeSync(ends.reader);
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  } finally {
    rmSync(draft);
  }
  spawnKeeper(location, 'adopt', ends.reader, ['ignore', 'ignore'], [fifo, String(postmaster.pid)]);
  return keeperAnswers({ fifo, writer: ends.writer });
}

function openIfRead(fifo: string): number | 'unread' | 'absent' {
  try {
    return openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENXIO') return 'unread';
    if (code === 'ENOENT') return 'absent';
    throw error;
  }
}

function openReader(fifo: string): number | undefined {
  try {
    return openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    // The folder was deleted while PostgreSQL was running.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function write(writer: number): 'ok' | 'EPIPE' {
  try {
    writeSync(writer, '\n');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EPIPE') return 'EPIPE';
    if (code !== 'EAGAIN') throw error;
  }
  return 'ok';
}

function noWriterRemains(probe: number): boolean {
  try {
    while (readSync(probe, Buffer.alloc(64)) > 0);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false;
    throw error;
  }
}
