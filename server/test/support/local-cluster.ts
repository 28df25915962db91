import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Database, openDatabase } from '../../src/platform/db/database.js';
import { cleanEnv, ROOT, temporaryFolder, until } from './process.js';
import { type CallOptions, callApi, createFleetStore, type FleetStore } from './storm/stores.js';
import type { Kill, StormTarget } from './storm/target.js';

const COMMAND = join(ROOT, 'deploy/local-cluster/cluster');
const PORTS = 40;
/** The ports of Feira's processes, as offsets from the first port of the cluster. */
const FEIRA_PORTS = { api1: 1, api2: 2, worker1: 3, worker2: 4 };
/** Only commands and waits that hang should reach these limits. A busy machine takes minutes to start a cluster. */
const START_MS = 900_000;
const CHANGE_MS = 180_000;

export type Part =
  | 'api1'
  | 'api2'
  | 'worker1'
  | 'worker2'
  | 'pgbouncer'
  | 'pg1'
  | 'pg2'
  | 'redis'
  | 'radosgw';

/** The whole topology of deploy/local-cluster, started with its data in a temporary folder. */
export class LocalCluster implements StormTarget {
  readonly kills: Kill[] = [];
  private readonly stopAtExit = () => void spawnSync(COMMAND, ['stop'], { env: this.env });

  private constructor(
    private readonly env: Record<string, string>,
    private readonly port: number,
    readonly db: Database,
  ) {
    process.once('exit', this.stopAtExit);
  }

  /** `release` is the folder of the version to start. replace() later starts the version under test. */
  static async start(settings: Record<string, string>, release = ROOT): Promise<LocalCluster> {
    // These ports are below the range that the system uses for outgoing connections.
    const port = 20_000 + (process.pid % 250) * PORTS;
    const folder = join(tmpdir(), `feira-faults-${process.pid}`);
    const env = cleanEnv({
      ...settings,
      FEIRA_CLUSTER: folder,
      FEIRA_CLUSTER_PORT: String(port),
      LOG_LEVEL: 'warn',
    });
    try {
      await run({ ...env, FEIRA_CLUSTER_RELEASE: release }, 'start');
      const address = { host: '127.0.0.1', port: port + 6, user: 'feira', database: 'feira' };
      return new LocalCluster(env, port, await openDatabase(address));
    } catch (error) {
      if (existsSync(folder)) await run(env, 'stop');
      throw error;
    }
  }

  async stop(): Promise<void> {
    process.off('exit', this.stopAtExit);
    await this.db.close();
    await run(this.env, 'stop');
  }

  get apis(): string[] {
    return [`http://127.0.0.1:${this.port}`];
  }

  store(): Promise<FleetStore> {
    return createFleetStore(this.db);
  }

  call(
    store: FleetStore,
    method: string,
    path: string,
    body?: object,
    { api = this.apis[0]!, key }: CallOptions = {},
  ): Promise<Response> {
    return callApi(api, store, method, path, body, key);
  }

  /** Kills the part with SIGKILL. Its supervisor starts it again. */
  kill(part: Part): Promise<void> {
    return run(this.env, 'kill', part);
  }

  /** Kills the part and keeps it down. */
  down(part: Part): Promise<void> {
    return run(this.env, 'down', part);
  }

  up(part: Part): Promise<void> {
    return run(this.env, 'up', part);
  }

  /** Ends an API or worker process with SIGTERM and starts the version under test in its place. */
  replace(part: Part): Promise<void> {
    return run(this.env, 'replace', part);
  }

  /** Runs a command of the version under test. */
  feira(...args: string[]): Promise<void> {
    return run(this.env, 'feira', ...args);
  }

  /**
   * Sets the clock of a process to the real time plus an offset of more than 1,000 s in either direction, such as
   * `-1h`. Returns once the metrics of the process show that its clock has changed.
   */
  async setClock(part: 'api1' | 'worker1', offset: string): Promise<void> {
    await run(this.env, 'clock', part, offset);
    const sign = offset.startsWith('-') ? -1 : 1;
    await until(async () => sign * (await this.clockAhead(part)) > 1_000);
  }

  resetClock(part: Part): Promise<void> {
    return run(this.env, 'clock', part, 'real');
  }

  /** `silent` drops every packet from and to the port of the part; `slow` drops one in five. */
  disturbNetwork(part: Part, how: 'silent' | 'slow'): Promise<void> {
    return run(this.env, 'network', part, how);
  }

  repairNetwork(part: Part): Promise<void> {
    return run(this.env, 'network', part, 'ok');
  }

  fillDisk(part: Part): Promise<void> {
    return run(this.env, 'disk', part, 'fill');
  }

  freeDisk(part: Part): Promise<void> {
    return run(this.env, 'disk', part, 'free');
  }

  switchover(): Promise<void> {
    return run(this.env, 'switchover');
  }

  /** Waits until a server other than `not` is the primary, and returns its name. */
  async primary(not?: Part): Promise<Part> {
    let name: Part | undefined;
    await until(async () => {
      name = (await this.members()).find(({ role }) => role === 'leader')?.name;
      return name !== undefined && name !== not;
    }, CHANGE_MS);
    return name!;
  }

  /** Waits until a standby has everything that is committed, because Patroni promotes only such a standby. */
  async untilSynchronous(): Promise<void> {
    await until(async () => {
      const roles = (await this.members()).map(({ role }) => role);
      return roles.includes('leader') && roles.includes('sync_standby');
    }, CHANGE_MS);
  }

  /** Waits until a process that was killed serves again. */
  async untilReady(part: keyof typeof FEIRA_PORTS): Promise<void> {
    await until(async () => (await this.get(part, '/readyz'))?.ok === true, CHANGE_MS);
  }

  /** Returns by how many seconds the clock of a process is ahead of the database, according to its metrics. */
  private async clockAhead(part: 'api1' | 'worker1'): Promise<number> {
    const answer = await this.get(part, '/metrics');
    return Number(/^feira_clock_ahead_seconds (\S+)/m.exec((await answer?.text()) ?? '')?.[1] ?? 0);
  }

  private get(part: keyof typeof FEIRA_PORTS, path: string): Promise<Response | undefined> {
    return fetch(`http://127.0.0.1:${this.port + FEIRA_PORTS[part]}${path}`).catch(() => undefined);
  }

  private async members(): Promise<{ name: Part; role: string }[]> {
    for (const port of [this.port + 14, this.port + 15]) {
      const answer = await fetch(`http://127.0.0.1:${port}/cluster`).catch(() => undefined);
      if (answer?.ok) return ((await answer.json()) as { members: { name: Part; role: string }[] }).members;
    }
    return [];
  }
}

async function run(env: Record<string, string>, command: string, ...args: string[]): Promise<void> {
  const timeout = command === 'start' ? START_MS : CHANGE_MS;
  // The command runs in a folder that only its caller may enter, like /root. It must work there even when root runs it
  // and it starts programs under another account.
  const folder = temporaryFolder();
  try {
    await promisify(execFile)(COMMAND, [command, ...args], { env, timeout, cwd: folder.path });
  } finally {
    folder.remove();
  }
}
