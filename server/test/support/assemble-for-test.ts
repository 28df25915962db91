import { type DestinationStream, pino } from 'pino';
import { type Assembly, assemble } from '../../src/assembly.js';
import type { SandboxGateway } from '../../src/payments/sandbox/gateway.js';
import type { PublicRoutes, WebhookConfig } from '../../src/platform/config.js';
import type { ReplicaSettings } from '../../src/platform/config-replica.js';
import type { S3Config } from '../../src/platform/config-s3.js';
import type { Deadlines } from '../../src/platform/db/settings.js';
import { createLog } from '../../src/platform/observability/log.js';
import type { MovableClock } from './clock.js';
import { LONG_DEADLINES } from './database.js';

export interface TestConnection {
  host: string;
  port: number;
  user: string;
  database: string;
}

/** The server settings that a test may choose. */
export interface TestSettings {
  logTo?: DestinationStream;
  redisUrl?: string;
  /** A standby of the database. In production, REPLICA_URL configures it. */
  replica?: ReplicaSettings;
  /** Opens another route to the same database, such as a proxy. */
  through?: (connection: TestConnection) => Promise<TestConnection>;
  /**
   * Database time limits, except those of background jobs and streams. By default they are so long that no test fails
   * on a busy machine. Pass {} to use the production values.
   */
  deadlines?: Partial<Deadlines>;
  redisTimeoutMs?: number;
  trustedProxies?: string[];
  s3?: S3Config;
  webhooks?: Partial<WebhookConfig>;
  publicRoutes?: PublicRoutes;
  paymentGateway?: 'sandbox' | 'none';
  isTestShop?: boolean;
  /** Uses the production clock, which tests cannot move. */
  productionClock?: boolean;
}

/** The parts of a process that tests access directly. */
export type TestContext = ReturnType<typeof partsOf>;

/** Assembles a process as the command line does, with defaults for tests. */
export async function assembleForTest(
  settings: TestSettings,
  given: {
    connection: TestConnection;
    clock: MovableClock;
    publicUrl: string;
    dataFolder: string;
    secrets: string[];
  },
): Promise<{ assembly: Assembly; context: TestContext }> {
  const { connection, clock, publicUrl, dataFolder, secrets } = given;
  const assembly = await assemble({
    connection: settings.through ? await settings.through(connection) : connection,
    ...(!settings.productionClock && { clock }),
    log: settings.logTo ? createLog('info', settings.logTo) : pino({ level: 'silent' }),
    publicUrl,
    paymentGateway: settings.paymentGateway ?? 'sandbox',
    isTestShop: settings.isTestShop ?? false,
    mediaUrl: `${publicUrl}/media`,
    dataFolder,
    redisUrl: settings.redisUrl,
    replica: settings.replica,
    databaseDriver: process.env.FEIRA_DB_DRIVER === 'pg' ? 'pg' : 'pipeline',
    deadlines: settings.deadlines ?? LONG_DEADLINES,
    redisTimeoutMs: settings.redisTimeoutMs,
    ...(settings.trustedProxies && { trustedProxies: settings.trustedProxies }),
    s3: settings.s3,
    ...(settings.publicRoutes && { publicRoutes: settings.publicRoutes }),
    secrets,
    webhooks: {
      backoff: { firstMs: 5_000, factor: 15 },
      timeoutMs: 5_000,
      allowPrivate: true,
      ...settings.webhooks,
    },
  });
  return { assembly, context: partsOf(assembly, publicUrl) };
}

function partsOf({ resources, app: { api, pages }, worker, monitor }: Assembly, publicUrl: string) {
  return {
    ...resources,
    ...worker,
    ...monitor,
    ...api.guard,
    publicUrl,
    wake: pages.storefront.wake,
    sessions: pages.storefront.sessions,
    orderLinks: pages.storefront.orderLinks,
    placement: pages.storefront.placement,
    labels: api.shipping.labels,
    gateway: worker.jobs.sandbox as SandboxGateway,
  };
}
