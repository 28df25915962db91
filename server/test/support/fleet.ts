import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../src/platform/db/database.js';
import { migrate } from '../../src/platform/db/migrate.js';
import { prepareLocation } from '../../src/platform/embedded-postgres/location.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres/start.js';
import { type ServerProcess, startServer, temporaryFolder } from './process.js';
import { type CallOptions, callApi, createFleetStore, type FleetStore } from './storm/stores.js';
import type { Kill, StormTarget } from './storm/target.js';

export type Role = 'api' | 'worker';

/**
 * Several real server processes that share one PostgreSQL, in which fsync is on. Every process, and PostgreSQL itself,
 * can be killed and is then restarted.
 */
export class Fleet implements StormTarget {
  readonly processes: { role: Role; server: ServerProcess }[] = [];
  readonly kills: Kill[] = [];

  private constructor(
    private readonly folder: ReturnType<typeof temporaryFolder>,
    private postgres: EmbeddedPostgres,
    readonly db: Database,
    private readonly env: Record<string, string>,
  ) {}

  static async open(settings: Record<string, string> = {}): Promise<Fleet> {
    const folder = temporaryFolder();
    // When tests run as root, PostgreSQL runs under another account, which must be able to enter the folder.
    chmodSync(folder.path, 0o711);
    const postgres = await startEmbeddedPostgres({ folder: folder.path });
    await migrate(postgres.connection);
    const { host, user, database } = postgres.connection;
    return new Fleet(folder, postgres, await openDatabase(postgres.connection), {
      DATABASE_URL: `postgresql:///${database}?host=${encodeURIComponent(host)}&user=${user}`,
      FEIRA_SECRET: 'a public secret that only tests use',
      ...settings,
    });
  }

  async start(role: Role, count: number): Promise<void> {
    await Promise.all(
      Array.from({ length: count }, async () => {
        this.processes.push({ role, server: await this.launch(role) });
      }),
    );
  }

  /** The address of the database, which stays the same when PostgreSQL is killed and restarted. */
  get connection(): EmbeddedPostgres['connection'] {
    return this.postgres.connection;
  }

  get apis(): string[] {
    return this.processes.filter(({ role }) => role === 'api').map(({ server }) => server.url);
  }

  /** Kills a process with SIGKILL and starts another in its place. */
  async kill(index: number): Promise<void> {
    const { role, server } = this.processes[index]!;
    await this.record(role, () => server.stop('SIGKILL'));
    this.processes[index]!.server = await this.launch(role);
  }

  /** Kills the postmaster, after which its children exit. A new postmaster recovers from the data on disk. */
  async killPostgres(): Promise<void> {
    const { data } = prepareLocation(this.folder.path);
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    const former = this.postgres;
    await this.record('postgres', async () => {
      process.kill(pid, 'SIGKILL');
      this.postgres = await startEmbeddedPostgres({ folder: this.folder.path });
    });
    await former.close();
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

  async close(): Promise<void> {
    await Promise.all(this.processes.map(({ server }) => server.stop('SIGKILL')));
    await this.db.close();
    await this.postgres.close();
    this.folder.remove();
  }

  private async record(victim: Kill['victim'], kill: () => Promise<unknown>): Promise<void> {
    const entry: Kill = { victim, at: performance.now(), over: Number.POSITIVE_INFINITY };
    this.kills.push(entry);
    await kill();
    entry.over = performance.now();
  }

  /** Starts a process. If the start fails because PostgreSQL is down, tries again, as a service manager would. */
  private async launch(role: Role): Promise<ServerProcess> {
    for (;;) {
      const begun = performance.now();
      try {
        return await startServer(this.env, ['--role', role]);
      } catch (error) {
        const wasAway = this.kills.some(({ victim, over }) => victim === 'postgres' && over >= begun);
        if (!wasAway) throw error;
      }
    }
  }
}
