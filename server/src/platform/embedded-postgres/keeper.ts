import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Place } from './place.js';

/** Both ends of a FIFO: the reader is for a keeper, the writer keeps that keeper waiting. */
export interface Line {
  writer: number;
  reader: number;
}

/** Nothing of ours goes on to PostgreSQL: PGPORT, PGTZ and their like would change the server. */
export const ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

/*
 * A keeper reads the FIFO until its last writer is gone, then stops PostgreSQL. It is one shell and no `cat`: were
 * the shell killed, a `cat` would go on reading and look like a keeper. It holds the FIFO until PostgreSQL has
 * stopped, so that whoever finds it unread knows that nobody will stop what is started next.
 *
 * `true` and not `:`, because a failed redirection of a special builtin ends the shell.
 */
const KEEPERS = {
  // PostgreSQL is the keeper's child, so its pid cannot become another's. The FIFO gets its name from that pid before
  // PostgreSQL runs. Descriptor 3 is left to PostgreSQL alone: its end tells the launching process that PostgreSQL
  // has ended, which not every shell notices while it reads (dash does, bash does not).
  // Arguments: a socket folder to remove at the end or '', the FIFO, then the command.
  launch: `
    trap '' HUP INT TERM
    trap 'dead=yes' CHLD
    sockets=$1
    shift
    sh -c 'mv "$0" "users-$$-0" && exec "$@"' "$@" </dev/null &
    pid=$!
    exec 3>&-
    until [ "$dead" ] || ! read -r line; do true >"users-$pid-0.answer"; done
    trap - CHLD
    [ "$dead" ] || kill -INT "$pid"
    wait "$pid"
    [ -z "$sockets" ] || rm -rf "$sockets"
    rm -f "$1" "users-$pid-0.answer" "users-$pid-0"`,
  // Arguments: the FIFO, the pid.
  adopt: `
    trap '' HUP INT TERM
    while read -r line; do true >"$1.answer"; done
    read -r current <data/postmaster.pid && [ "$current" = "$2" ] && kill -INT "$2"
    while [ -e data/postmaster.pid ] && kill -0 "$2"; do sleep 0.1; done
    rm -f "$1.answer" "$1"`,
};

export async function makeLine(place: Place, fifo: string): Promise<Line> {
  await promisify(execFile)('mkfifo', ['-m', '600', fifo], { env: ENVIRONMENT, ...place.account });
  // A writer can open only a FIFO that is read, and a blocking reader only one that is written.
  const opener = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
  const reader = openSync(fifo, constants.O_RDONLY);
  closeSync(opener);
  return { writer, reader };
}

export function spawnKeeper(
  place: Place,
  kind: keyof typeof KEEPERS,
  reader: number,
  output: ('ignore' | 'pipe' | number)[],
  args: string[],
): ChildProcess {
  const keeper = spawn('/bin/sh', ['-c', KEEPERS[kind], 'feira-postgres-keeper', ...args], {
    // A session of its own: Ctrl-C in our terminal is not for PostgreSQL.
    detached: true,
    cwd: place.folder,
    stdio: [reader, ...output],
    // PostgreSQL takes a pid in an old lock file for alive unless it is its own parent's or grandparent's; in a
    // container the same few numbers come back at every start.
    env: { ...ENVIRONMENT, PG_GRANDPARENT_PID: String(process.pid) },
    ...place.account,
  });
  closeSync(reader);
  keeper.unref();
  return keeper;
}
