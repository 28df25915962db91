import type { FastifyInstance, InjectOptions } from 'fastify';
import { buildApp } from '../../src/app.js';
import { createApp } from '../../src/oauth/apps.js';
import { setBudget } from '../../src/oauth/budget.js';
import { SCOPES, type Scope } from '../../src/oauth/scopes.js';
import { createGrant, issueTokens } from '../../src/oauth/tokens.js';
import { migrate } from '../../src/platform/db/migrate.js';
import { sql } from '../../src/platform/db/sql.js';
import { createStore } from '../../src/stores/stores.js';
import {
  assembleForTest,
  type TestConnection,
  type TestContext,
  type TestSettings,
} from './assemble-for-test.js';
import { checkAnswers } from './check-answers.js';
import { MovableClock } from './clock.js';
import { cloneDatabase } from './database.js';
import { addOwner } from './owners.js';
import { temporaryFolder } from './process.js';

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];
export const TEST_SECRET = 'a secret for tests, known to everybody who reads them';
const LARGE_BUDGET = 1_000_000;

/**
 * A complete server. It has its own database unless it was opened with `on` or `connection`. Requests are usually
 * injected.
 */
export interface Feira {
  app: FastifyInstance;
  /** `context.gateway` is the sandbox gateway, or undefined if the server was opened without a payment gateway. */
  context: TestContext;
  clock: MovableClock;
  connection: TestConnection;
  /** The servers that were opened with this one as `on`. They share its database. */
  dependents: Feira[];
  /** Creates a store with a connected app. By default, its rate limit is so high that no test reaches it. */
  store(options?: { scopes?: Scope[]; perMinute?: number }): Promise<StoreClient>;
  events(workspaceId: string): Promise<{ event: string; data: Record<string, unknown> }[]>;
  /** Closes the dependents and then this server. Throws if a response over a socket contradicted openapi.json. */
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any shape and asserts on it
  body: any;
  headers: Record<string, string | number | string[] | undefined>;
}

/**
 * Opens a server. With `on`, it acts as another process on the database of that server, with its own connections,
 * caches and rate limits.
 */
export async function openFeira(
  options: TestSettings & {
    publicUrl?: string;
    on?: Feira;
    /** A database to use instead of a new one. `openFeira` migrates it, and `close` does not drop it. */
    connection?: TestConnection;
    secrets?: string[];
    /** Default: a temporary folder, which is removed when the server closes. */
    dataFolder?: string;
  } = {},
): Promise<Feira> {
  const given = options.on?.connection ?? options.connection;
  const { connection, drop } = given ? { connection: given, drop: async () => {} } : await cloneDatabase();
  if (options.connection) await migrate(connection);
  const clock = options.on?.clock ?? new MovableClock();
  const folder = options.dataFolder ? { path: options.dataFolder, remove() {} } : temporaryFolder();
  const publicUrl = options.publicUrl ?? options.on?.context.publicUrl ?? 'http://feira.test';
  const { assembly, context } = await assembleForTest(options, {
    connection,
    clock,
    publicUrl,
    dataFolder: folder.path,
    secrets: options.secrets ?? [TEST_SECRET],
  });
  const app = await buildApp(assembly.app);
  await app.ready();
  const { faults } = await checkAnswers(app);
  const { db } = context;
  let stores = 0;
  let closed: Promise<void> | undefined;
  const feira: Feira = {
    app,
    context,
    clock,
    connection,
    dependents: [],
    async store({ scopes = ALL_SCOPES, perMinute = LARGE_BUDGET } = {}) {
      const ownerEmail = 'owner@store.example';
      const name = `Store ${++stores}`;
      await addOwner({ context }, ownerEmail, 'correct horse');
      const { workspaceId } = await db
        .store('test')
        .transaction((tx) => createStore(tx, { name, ownerEmail, existingOwner: true }));
      const { clientId } = await createApp(db.store('test').autocommit, {
        name: `App of store ${stores}`,
        redirectUris: ['https://erp.example/callback'],
      });
      if (perMinute !== 120) await setBudget(db.store('test').autocommit, workspaceId, clientId, perMinute);
      return StoreClient.open(context, app, workspaceId, clientId, scopes);
    },
    events: (workspaceId) =>
      db.store('test').query(sql`
        select event, data from (
          select event, data, sequence, 0 as position from events where workspace_id = ${workspaceId}
          union all
          select event, data, null, position from outbox where workspace_id = ${workspaceId} and event is not null
        ) written order by sequence nulls last, position`),
    close() {
      closed ??= close();
      return closed;
    },
  };
  options.on?.dependents.push(feira);
  return feira;

  async function close(): Promise<void> {
    for (const dependent of feira.dependents) await dependent.close();
    await app.close();
    await assembly.close();
    folder.remove();
    await drop();
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }
}

/** The API client of an integrator for one store. */
export class StoreClient {
  private constructor(
    private readonly context: TestContext,
    private readonly app: FastifyInstance,
    readonly workspaceId: string,
    readonly clientId: string,
    readonly token: string,
  ) {}

  static async open(
    context: TestContext,
    app: FastifyInstance,
    workspaceId: string,
    clientId: string,
    scopes: Scope[],
  ): Promise<StoreClient> {
    const response = await context.db.store('test').transaction(async (tx) => {
      const grantId = await createGrant(tx, { workspaceId, clientId, userId: null, scopes });
      return issueTokens(tx, context.clock, workspaceId, grantId, scopes);
    });
    return new StoreClient(context, app, workspaceId, clientId, response.access_token);
  }

  /** Returns a client of the same store and app, with a token for these scopes. */
  withScopes(scopes: Scope[]): Promise<StoreClient> {
    return StoreClient.open(this.context, this.app, this.workspaceId, this.clientId, scopes);
  }

  /** Returns a client that sends its requests to the given server, with the same token. */
  through({ context, app }: Feira): StoreClient {
    return new StoreClient(context, app, this.workspaceId, this.clientId, this.token);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('GET', path, undefined, headers);
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('POST', path, body, headers);
  }

  patch(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('PATCH', path, body, headers);
  }

  put(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('PUT', path, body, headers);
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('DELETE', path, undefined, headers);
  }

  /** `path` is relative to /api/v1. A string body is sent unchanged, anything else as JSON. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await this.app.inject({
      method: method as InjectOptions['method'],
      url: `/api/v1${path}`,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    } as InjectOptions);
    const text = response.body;
    return {
      status: response.statusCode,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }
}
