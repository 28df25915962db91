import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Connection } from './seed.js';

const COMMAND = fileURLToPath(new URL('../../deploy/local-cluster/cluster', import.meta.url));
const PORTS = 40;
const PROCESSES = ['api1', 'api2', 'worker1', 'worker2'];

/** A cluster started by deploy/local-cluster, in its own folder and on its own ports. It stops with this process. */
export class LocalCluster {
  readonly folder = join(process.env.BENCH_FOLDER ?? tmpdir(), `feira-soak-${process.pid}`);
  /** The port of HAProxy, below the range that the system uses for outgoing connections. */
  readonly port = 10_000 + (process.pid % 250) * PORTS;
  /** The PostgreSQL server that is currently the primary. The user is a superuser. */
  readonly primary: Connection = this.connection(6, 'postgres', 'feira');
  /** The administration console of PgBouncer. */
  readonly pgbouncer: Connection = this.connection(5, 'feira', 'pgbouncer');

  constructor() {
    process.once('exit', () => void this.run('stop'));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
    if (this.run('start') !== 0) throw new Error('the local cluster did not start; see its output above');
  }

  /** The process ids of the API and worker processes by name. */
  get pids(): [name: string, pid: number][] {
    return PROCESSES.map((name) => [
      name,
      Number(readFileSync(join(this.folder, 'run', `${name}.pid`), 'utf8')),
    ]);
  }

  private run(command: string): number | null {
    const settings = { FEIRA_CLUSTER: this.folder, FEIRA_CLUSTER_PORT: String(this.port) };
    return spawnSync(COMMAND, [command], { env: { ...process.env, ...settings }, stdio: 'inherit' }).status;
  }

  private connection(offset: number, user: string, database: string): Connection {
    return { host: '127.0.0.1', port: this.port + offset, user, database };
  }
}
