import { closeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, openDatabase } from './database.js';
import { type Launch, launch } from './launch.js';
import { type Place, preparePlace } from './place.js';
import { type Postmaster, readPostmaster } from './postmaster.js';
import { leave, type Seat, takeSeat } from './users.js';

export interface EmbeddedPostgres {
  connection: Connection;
  /** false when PostgreSQL was already running for another process and this one joined it */
  started: boolean;
  close(): Promise<void>;
}

// A killed postmaster's last children linger for some 2 s and hold the data; a fast shutdown takes about as long.
const PATIENCE_MS = 15_000;
// Crash recovery replays up to max_wal_size (1 GB) and is not a failure.
const RECOVERY_PATIENCE_MS = 300_000;

/**
 * Every process that uses the folder comes in the same way: it takes a seat beside the running PostgreSQL, after
 * launching one if there is none. PostgreSQL's own lock on its data decides between two that launch at once; the
 * loser takes a seat beside the winner. The settings are those of the process that launches.
 */
export async function startEmbeddedPostgres(options: {
  folder: string;
  settings?: Record<string, string>;
}): Promise<EmbeddedPostgres> {
  const place = preparePlace(options.folder);
  const begun = Date.now();
  let deadline = begun + PATIENCE_MS;
  let own: Launch | undefined;
  try {
    for (;;) {
      const running = readPostmaster(place);
      if (running?.status === 'ready') {
        const joined = await join(place, running);
        if (joined) {
          const { seat, connection } = joined;
          return { connection, started: own?.isKeeperOf(seat) ?? false, close: once(() => leave(seat)) };
        }
      }
      if (!own) {
        own = await launch(place, options.settings ?? {});
        deadline = Date.now() + PATIENCE_MS;
      } else if (own.ended()) {
        own.refuseUnlessDataWasInUse();
        own.release();
        own = undefined;
      } else if (running?.status === 'starting' && Date.now() < begun + RECOVERY_PATIENCE_MS) {
        deadline = Date.now() + PATIENCE_MS;
      }
      if (Date.now() > deadline) {
        throw new Error(`PostgreSQL in ${place.folder} did not become ready.\n${own?.logTail() ?? ''}`);
      }
      await delay(own ? 20 : 100);
    }
  } finally {
    // With a seat taken this changes nothing; without one it lets the keeper stop what we launched.
    own?.release();
  }
}

async function join(
  place: Place,
  running: Postmaster,
): Promise<{ seat: Seat; connection: Connection } | undefined> {
  const seat = await takeSeat(place, running);
  if (!seat) return undefined;
  let connection: Connection | undefined;
  try {
    connection = await openDatabase(running);
    return connection && { seat, connection };
  } finally {
    if (!connection) closeSync(seat.writer);
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= action();
    return done;
  };
}
