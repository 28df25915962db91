import { randomBytes } from 'node:crypto';
import { closeSync, constants, existsSync, linkSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isServing } from './database.js';
import { makeLine, spawnKeeper } from './keeper.js';
import type { Place } from './place.js';
import type { Postmaster } from './postmaster.js';

/** An open writing end of the FIFO that keeps PostgreSQL alive. The kernel closes it even after SIGKILL. */
export interface Seat {
  fifo: string;
  writer: number;
}

/** Undefined: this PostgreSQL is stopping or gone. */
export async function takeSeat(place: Place, postmaster: Postmaster): Promise<Seat | undefined> {
  // A number above 0 is the FIFO of a keeper that took over after its predecessor was killed.
  for (let successor = 0; ; successor++) {
    const fifo = join(place.folder, `users-${postmaster.pid}-${successor}`);
    const writer = openIfRead(fifo);
    if (writer === 'unread') continue;
    if (writer !== 'absent') return keeperAnswers({ fifo, writer });
    // The lock file alone proves nothing: after a reboot its pid may be anybody's.
    return (await isServing(postmaster)) ? adopt(place, postmaster, fifo) : undefined;
  }
}

/** Returns when PostgreSQL has stopped, or at once when others still use it. */
export async function leave(seat: Seat): Promise<void> {
  const kept = write(seat.writer) === 'ok';
  const probe = kept ? openReader(seat.fifo) : undefined;
  closeSync(seat.writer);
  if (probe === undefined) return;
  const deadline = Date.now() + 10_000;
  // The keeper removes the FIFO as its last act.
  while (noWriterRemains(probe) && existsSync(seat.fifo) && Date.now() < deadline) await delay(10);
  closeSync(probe);
}

/**
 * A FIFO can be opened while its keeper has already seen the end and is about to stop PostgreSQL. An answer made
 * after our opening proves that the keeper is still reading, and so will not see the end before we close.
 */
async function keeperAnswers(seat: Seat): Promise<Seat | undefined> {
  const answer = `${seat.fifo}.answer`;
  rmSync(answer, { force: true });
  // Asked again now and then: somebody who leaves may swallow the question, or another's start the answer.
  for (let round = 0; round < 100 && write(seat.writer) !== 'EPIPE'; round++) {
    for (let look = 0; look < 20; look++) {
      if (existsSync(answer)) return seat;
      await delay(5);
    }
  }
  closeSync(seat.writer);
  return undefined;
}

/** PostgreSQL serves and nobody would stop it: its keeper was killed. */
async function adopt(place: Place, postmaster: Postmaster, fifo: string): Promise<Seat | undefined> {
  const draft = join(place.folder, `users-${process.pid}-${randomBytes(4).toString('hex')}`);
  const line = await makeLine(place, draft);
  try {
    // link refuses an existing name: two keepers would each stop PostgreSQL under the other's users.
    linkSync(draft, fifo);
  } catch (error) {
    closeSync(line.writer);
    closeSync(line.reader);
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  } finally {
    rmSync(draft);
  }
  spawnKeeper(place, 'adopt', line.reader, ['ignore', 'ignore'], [fifo, String(postmaster.pid)]);
  return keeperAnswers({ fifo, writer: line.writer });
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
    // The folder was deleted under us.
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
