import { closeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, connectToEmbedded } from './database.js';
import { type Launch, launch } from './launch.js';
import { acquireLease, type Lease, releaseLease } from './lease.js';
import { type ClusterLocation, prepareLocation } from './location.js';
import { type Postmaster, readPostmaster } from './postmaster.js';

export interface EmbeddedPostgres {
  connection: Connection;
  /** False if another process launched PostgreSQL and this one joined it. */
  started: boolean;
  close(): Promise<void>;
}

// A start may have to wait: after a postmaster is killed, its last child processes use the data for about 2 s, and a
// fast shutdown takes about as long.
const START_TIMEOUT_MS = 15_000;
// Crash recovery replays up to max_wal_size (1 GB) and must not be treated as a failure.
const RECOVERY_TIMEOUT_MS = 300_000;

/**
 * Starts PostgreSQL if it is not running, and acquires a lease that keeps it running. When several processes launch
 * at the same time, PostgreSQL's lock on its data lets one of them win; the others acquire a lease on the winner's
 * server. PostgreSQL runs with the settings of the process that launched it.
 */
export async function startEmbeddedPostgres(options: {
  folder: string;
  settings?: Record<string, string>;
}): Promise<EmbeddedPostgres> {
  const location = prepareLocation(options.folder);
  const begun = Date.now();
  let deadline = begun + START_TIMEOUT_MS;
  let own: Launch | undefined;
  try {
    for (;;) {
      const running = readPostmaster(location);
      if (running?.status === 'ready') {
        const joined = await join(location, running);
        if (joined) {
          const { lease, connection } = joined;
          return {
            connection,
            started: own?.isKeeperOf(lease) ?? false,
            close: once(() => releaseLease(lease)),
          };
        }
      }
      if (!own) {
        own = await launch(location, options.settings ?? {});
        deadline = Date.now() + START_TIMEOUT_MS;
      } else if (own.ended()) {
        own.throwUnlessDataWasInUse();
        own.release();
        own = undefined;
      } else if (running?.status === 'starting' && Date.now() < begun + RECOVERY_TIMEOUT_MS) {
        deadline = Date.now() + START_TIMEOUT_MS;
      }
      if (Date.now() > deadline) {
        throw new Error(`PostgreSQL in ${location.folder} did not become ready.\n${own?.logTail() ?? ''}`);
      }
      await delay(own ? 20 : 100);
    }
  } finally {
    // If no lease was acquired, the keeper now stops the server that we launched. Otherwise the lease keeps it running.
    own?.release();
  }
}

async function join(
  location: ClusterLocation,
  running: Postmaster,
): Promise<{ lease: Lease; connection: Connection } | undefined> {
  const lease = await acquireLease(location, running);
  if (!lease) return undefined;
  let connection: Connection | undefined;
  try {
    connection = await connectToEmbedded(running);
    return connection && { lease, connection };
  } finally {
    if (!connection) closeSync(lease.writer);
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= action();
    return done;
  };
}
