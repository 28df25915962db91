import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, temporaryFolder, until } from './process.js';
import { accepts } from './redis.js';

const UNPRIVILEGED = 65_534;

interface Address {
  host: string;
  port: number;
  user: string;
  database: string;
}

interface PgBouncer {
  /** The address at which PgBouncer serves the database. */
  address: Address;
  stop(): Promise<void>;
}

/** Starts a real PgBouncer (Debian's package) in front of one database, with as few settings as possible. */
export async function startPgBouncer(target: Address, mode: 'session' | 'transaction'): Promise<PgBouncer> {
  const folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  const port = await freePort();
  const users = join(folder.path, 'users');
  writeFileSync(users, `"${target.user}" ""`);
  const settings = join(folder.path, 'pgbouncer.ini');
  writeFileSync(
    settings,
    `[databases]
${target.database} = host=${target.host} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
`,
  );
  // PgBouncer refuses to run as root. If the tests run as root, it runs under the account of the embedded PostgreSQL,
  // the only other account that may use the socket of the database.
  const account = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  const server = spawn('/usr/sbin/pgbouncer', ['-q', settings], { stdio: 'ignore', ...account });
  await until(() => accepts(port));
  return {
    address: { ...target, host: '127.0.0.1', port },
    async stop() {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
      folder.remove();
    },
  };
}
