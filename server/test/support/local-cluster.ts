import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Database, openDatabase } from '../../src/platform/db/database.js';
import { cleanEnv, ROOT, until } from './process.js';
import { type CallOptions, callApi, createFleetStore, type FleetStore } from './storm/stores.js';
import type { Kill, StormTarget } from './storm/target.js';

const COMMAND = join(ROOT, 'deploy/local-cluster/cluster');
const PORTS = 40;
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

/** The whole topology of deploy/local-cluster in a folder of its own. */
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

  static async start(settings: Record<string, string>): Promise<LocalCluster> {
    // Below the ports that the system gives to outgoing connections.
    const port = 20_000 + (process.pid % 250) * PORTS;
    const folder = join(tmpdir(), `feira-faults-${process.pid}`);
    const env = cleanEnv({
      ...settings,
      FEIRA_CLUSTER: folder,
      FEIRA_CLUSTER_PORT: String(port),
      LOG_LEVEL: 'warn',
    });
    try {
      await run(env, 'start');
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

  /** The part is killed with SIGKILL and started again by its supervisor. */
  kill(part: Part): Promise<void> {
    return run(this.env, 'kill', part);
  }

  /** The part is killed and stays down. */
  down(part: Part): Promise<void> {
    return run(this.env, 'down', part);
  }

  up(part: Part): Promise<void> {
    return run(this.env, 'up', part);
  }

  switchover(): Promise<void> {
    return run(this.env, 'switchover');
  }

  /** Waits until there is a primary, other than `not`, and returns its name. */
  async primary(not?: Part): Promise<Part> {
    let name: Part | undefined;
    await until(async () => {
      name = (await this.members()).find(({ role }) => role === 'leader')?.name;
      return name !== undefined && name !== not;
    }, CHANGE_MS);
    return name!;
  }

  /** Waits until a standby has all that is committed, without which Patroni promotes none. */
  async untilSynchronous(): Promise<void> {
    await until(async () => {
      const roles = (await this.members()).map(({ role }) => role);
      return roles.includes('leader') && roles.includes('sync_standby');
    }, CHANGE_MS);
  }

  private async members(): Promise<{ name: Part; role: string }[]> {
    for (const port of [this.port + 14, this.port + 15]) {
      const answer = await fetch(`http://127.0.0.1:${port}/cluster`).catch(() => undefined);
      if (answer?.ok) return ((await answer.json()) as { members: { name: Part; role: string }[] }).members;
    }
    return [];
  }
}

async function run(env: Record<string, string>, ...args: string[]): Promise<void> {
  await promisify(execFile)(COMMAND, args, { env, timeout: CHANGE_MS });
}
