import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { findBinaries } from './binaries.js';
import { initializeData } from './initialize.js';
import { openFifo, spawnKeeper } from './keeper.js';
import type { Lease } from './lease.js';
import { type ClusterLocation, changeOwner, makeSocketFolder, PORT } from './location.js';
import { isAlive } from './postmaster.js';

export interface Launch {
  ended(): boolean;
  isKeeperOf(lease: Lease): boolean;
  throwUnlessDataWasInUse(): void;
  logTail(): string;
  release(): void;
}

/**
 * The size of shared_buffers: a sixteenth of the memory of the machine or container, but at least 128 MB and at most
 * 1 GB. With smaller buffers, pages are read from the kernel's cache and verified each time, which made a product read
 * a quarter slower.
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

export async function launch(location: ClusterLocation, settings: Record<string, string>): Promise<Launch> {
  const binaries = await findBinaries(location);
  await initializeData(location, binaries);
  removeLeftovers(location);

  const logFile = join(location.folder, 'postgres.log');
  const log = openLog(location, logFile);
  const logStart = fstatSync(log).size;
  const sockets = makeSocketFolder(location);
  const fifo = join(location.folder, `users-${process.pid}-${randomBytes(4).toString('hex')}`);
  const ends = await openFifo(location, fifo);
  const all = { ...SETTINGS, unix_socket_directories: sockets.folder, ...settings };
  const keeper = spawnKeeper(
    location,
    'launch',
    ends.reader,
    [log, log, 'pipe'],
    [
      sockets.temporary ? sockets.folder : '',
      fifo,
      binaries.postgres,
      '-D',
      location.data,
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
    isKeeperOf: (lease) => held && fstatSync(lease.writer).ino === fstatSync(ends.writer).ino,
    throwUnlessDataWasInUse() {
      // Another process won the race to start, or child processes of a killed postmaster are still running. Both are
      // temporary.
      if (/lock file|shared memory block/.test(logTail())) return;
      throw new Error(`PostgreSQL failed to start in ${location.folder}:\n${logTail()}`, { cause: failure });
    },
    logTail,
    release() {
      if (held) closeSync(ends.writer);
      held = false;
      life.destroy();
    },
  };
}

function openLog(location: ClusterLocation, file: string): number {
  const log = openSync(file, 'a', 0o600);
  if (fstatSync(log).size < 1_000_000) {
    changeOwner(location, file);
    return log;
  }
  closeSync(log);
  try {
    renameSync(file, `${file}.1`);
  } catch (error) {
    // ENOENT: another process has just rotated the log.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return openLog(location, file);
}

/** Removes FIFOs that a crash left behind: those whose name contains the pid of a process that no longer runs. */
function removeLeftovers(location: ClusterLocation): void {
  for (const name of readdirSync(location.folder)) {
    const pid = /^users-(\d+)-/.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) rmSync(join(location.folder, name), { force: true });
  }
}
