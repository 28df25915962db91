import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { findBinaries } from './binaries.js';
import { initializeData } from './initialize.js';
import { makeLine, spawnKeeper } from './keeper.js';
import { giveTo, makeSocketFolder, type Place, PORT } from './place.js';
import { isAlive } from './postmaster.js';
import type { Seat } from './users.js';

export interface Launch {
  ended(): boolean;
  isKeeperOf(seat: Seat): boolean;
  refuseUnlessDataWasInUse(): void;
  logTail(): string;
  release(): void;
}

/**
 * A sixteenth of the machine, or of what the container may use of it: a page that is read from the kernel's cache and
 * checked anew each time cost a product read a quarter.
 */
function sharedMegabytes(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.min(1024, Math.max(128, Math.floor(memory / 2 ** 24)));
}

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  port: String(PORT),
  max_connections: '200',
  shared_buffers: `${sharedMegabytes()}MB`,
  fsync: 'on',
  synchronous_commit: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

export async function launch(place: Place, settings: Record<string, string>): Promise<Launch> {
  const binaries = await findBinaries(place);
  await initializeData(place, binaries);
  removeLeftovers(place);

  const logFile = join(place.folder, 'postgres.log');
  const log = openLog(place, logFile);
  const logStart = fstatSync(log).size;
  const sockets = makeSocketFolder(place);
  const fifo = join(place.folder, `users-${process.pid}-${randomBytes(4).toString('hex')}`);
  const line = await makeLine(place, fifo);
  const all = { ...SETTINGS, unix_socket_directories: sockets.folder, ...settings };
  const keeper = spawnKeeper(
    place,
    'launch',
    line.reader,
    [log, log, 'pipe'],
    [
      sockets.temporary ? sockets.folder : '',
      fifo,
      binaries.postgres,
      '-D',
      place.data,
      ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
  );
  closeSync(log);

  let ended = false;
  let failure: Error | undefined;
  keeper.on('error', (error) => {
    failure = error;
  });
  const life = keeper.stdio[3] as Socket;
  life.on('close', () => {
    ended = true;
  });
  life.resume().unref();
  const logTail = () => readFileSync(logFile).subarray(logStart).toString().slice(-4000);
  let held = true;
  return {
    ended: () => ended,
    isKeeperOf: (seat) => held && fstatSync(seat.writer).ino === fstatSync(line.writer).ino,
    refuseUnlessDataWasInUse() {
      // Another start won, or the children of a killed postmaster still linger: both pass.
      if (/lock file|shared memory block/.test(logTail())) return;
      throw new Error(`PostgreSQL did not start in ${place.folder}:\n${logTail()}`, { cause: failure });
    },
    logTail,
    release() {
      if (held) closeSync(line.writer);
      held = false;
      life.destroy();
    },
  };
}

function openLog(place: Place, file: string): number {
  const log = openSync(file, 'a', 0o600);
  if (fstatSync(log).size < 1_000_000) {
    giveTo(place, file);
    return log;
  }
  closeSync(log);
  try {
    renameSync(file, `${file}.1`);
  } catch (error) {
    // Another start has just done it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return openLog(place, file);
}

/** FIFOs are named for a process; those of a dead one were left by a crash. */
function removeLeftovers(place: Place): void {
  for (const name of readdirSync(place.folder)) {
    const pid = /^users-(\d+)-/.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) rmSync(join(place.folder, name), { force: true });
  }
}
