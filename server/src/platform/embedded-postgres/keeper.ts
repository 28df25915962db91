import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { ClusterLocation } from './location.js';

/** Both ends of a FIFO. A keeper reads from it, and stops PostgreSQL once no process has the writing end open. */
export interface FifoEnds {
  writer: number;
  reader: number;
}

/**
 * The environment of PostgreSQL. It inherits nothing from this process, because PGPORT, PGTZ and similar variables
 * would change the settings of the server.
 */
export const ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

/*
 * A keeper is a shell that reads the FIFO until its last writer is closed, then stops PostgreSQL. It reads without
 * `cat`: if the shell were killed, `cat` would continue reading and look like a keeper. The keeper keeps the FIFO open
 * until PostgreSQL has stopped, so a FIFO without a reader means that no keeper is left to stop PostgreSQL.
 *
 * The loops use `true` instead of `:`, because `:` is a special builtin: if its redirection failed, the shell would
 * exit.
 */
const KEEPERS = {
  // PostgreSQL is a child of the keeper, so the pid of PostgreSQL cannot be reused before the keeper's `wait`. The FIFO
  // is renamed to users-<pid>-0 before PostgreSQL runs. Only PostgreSQL keeps descriptor 3 open. When the descriptor
  // closes, the launching process knows that PostgreSQL has exited. The keeper may not notice the exit while it reads:
  // dash does, bash does not.
  // Arguments: a socket folder to remove at the end (or ''), the FIFO, then the command.
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
  // Arguments: the FIFO and the pid of PostgreSQL.
  adopt: `
    trap '' HUP INT TERM
    while read -r line; do true >"$1.answer"; done
    read -r current <data/postmaster.pid && [ "$current" = "$2" ] && kill -INT "$2"
    while [ -e data/postmaster.pid ] && kill -0 "$2"; do sleep 0.1; done
    rm -f "$1.answer" "$1"`,
};

export async function openFifo(location: ClusterLocation, fifo: string): Promise<FifoEnds> {
  await promisify(execFile)('mkfifo', ['-m', '600', fifo], { env: ENVIRONMENT, ...location.account });
  // Opening a FIFO for blocking reads waits for a writer, and opening it for writing with O_NONBLOCK fails unless it
  // has a reader. So a temporary reader that does not block is opened first.
  const opener = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
  const reader = openSync(fifo, constants.O_RDONLY);
  closeSync(opener);
  return { writer, reader };
}

export function spawnKeeper(
  location: ClusterLocation,
  kind: keyof typeof KEEPERS,
  reader: number,
  output: ('ignore' | 'pipe' | number)[],
  args: string[],
): ChildProcess {
  const keeper = spawn('/bin/sh', ['-c', KEEPERS[kind], 'feira-postgres-keeper', ...args], {
    // The keeper and PostgreSQL run in a session of their own, so that Ctrl-C in our terminal does not reach them.
    detached: true,
    cwd: location.folder,
    stdio: [reader, ...output],
    // PostgreSQL does not start if the pid in an old lock file belongs to a running process other than itself, its
    // parent and its grandparent. In a container, pids repeat at every start, so the pid in the file may be ours.
    env: { ...ENVIRONMENT, PG_GRANDPARENT_PID: String(process.pid) },
    ...location.account,
  });
  closeSync(reader);
  keeper.unref();
  return keeper;
}
