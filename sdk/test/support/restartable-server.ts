import { chmodSync } from 'node:fs';
import { createApp } from '../../../server/src/oauth/apps.js';
import { setBudget } from '../../../server/src/oauth/budget.js';
import { createGrant, issueTokens } from '../../../server/src/oauth/tokens.js';
import { systemClock } from '../../../server/src/platform/clock.js';
import { type Database, openDatabase } from '../../../server/src/platform/db/database.js';
import { migrate } from '../../../server/src/platform/db/migrate.js';
import { startEmbeddedPostgres } from '../../../server/src/platform/embedded-postgres/start.js';
import { createStore } from '../../../server/src/stores/stores.js';
import { ALL_SCOPES } from '../../../server/test/support/feira.js';
import {
  type CommandProcess,
  freePort,
  hasExited,
  startCommand,
  temporaryFolder,
  until,
} from '../../../server/test/support/process.js';

/** The real server in a separate process that can be killed and restarted at the same address. */
export class RestartableServer {
  private process: CommandProcess | undefined;
  readonly url: string;

  private constructor(
    readonly db: Database,
    private readonly env: Record<string, string>,
    private readonly closePostgres: () => Promise<void>,
  ) {
    this.url = `http://127.0.0.1:${env.PORT}`;
  }

  static async open(): Promise<RestartableServer> {
    const folder = temporaryFolder();
    // When tests run as root, PostgreSQL runs under another account, which must be able to enter the folder.
    chmodSync(folder.path, 0o711);
    const postgres = await startEmbeddedPostgres({ folder: folder.path });
    await migrate(postgres.connection);
    const { host, user, database } = postgres.connection;
    const port = await freePort();
    const env = {
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      DATABASE_URL: `postgresql:///${database}?host=${encodeURIComponent(host)}&user=${user}`,
      FEIRA_SECRET: 'a public secret that only tests use',
    };
    const server = new RestartableServer(await openDatabase(postgres.connection), env, async () => {
      await postgres.close();
      folder.remove();
    });
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const started = startCommand(['serve'], this.env);
    this.process = started;
    await until(async () => {
      if (hasExited(started.child)) throw new Error(`the server ended:\n${started.output()}`);
      return (await fetch(`${this.url}/readyz`).catch(() => undefined))?.status === 200;
    });
  }

  async killAndRestart(): Promise<void> {
    await this.process?.stop('SIGKILL');
    await this.start();
  }

  async store(): Promise<{ workspaceId: string; token: string }> {
    const db = this.db.store('test');
    const owner = { ownerEmail: 'owner@store.example', ownerPassword: 'correct horse' };
    const { workspaceId } = await db.transaction((tx) => createStore(tx, { name: 'Store', ...owner }));
    const { clientId } = await createApp(db.autocommit, {
      name: 'ERP',
      redirectUris: ['https://erp.example/cb'],
    });
    await setBudget(db.autocommit, workspaceId, clientId, 100_000);
    const { access_token: token } = await db.transaction(async (tx) => {
      const grantId = await createGrant(tx, { workspaceId, clientId, userId: null, scopes: ALL_SCOPES });
      return issueTokens(tx, systemClock, workspaceId, grantId, ALL_SCOPES);
    });
    return { workspaceId, token };
  }

  async close(): Promise<void> {
    await this.process?.stop('SIGKILL');
    await this.db.close();
    await this.closePostgres();
  }
}
