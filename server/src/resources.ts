import { join } from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import { LocalStorage } from './media/local-storage.js';
import type { Storage } from './media/storage.js';
import { TOKENS, TOKENS_CONNECTIONS } from './oauth/tokens.js';
import { ORDERS, ORDERS_CONNECTIONS } from './orders/storage.js';
import type { Budgets } from './platform/budgets/budgets.js';
import { DailyUploads } from './platform/budgets/daily-uploads.js';
import { InMemoryBudgets } from './platform/budgets/in-memory.js';
import { SpenderWindows } from './platform/budgets/spender-windows.js';
import type { Clock } from './platform/clock.js';
import type { DatabaseDriver, WebhookConfig } from './platform/config.js';
import type { ReplicaSettings } from './platform/config-replica.js';
import type { S3Config } from './platform/config-s3.js';
import { Seal } from './platform/crypto/seal.js';
import { Signer } from './platform/crypto/signer.js';
import { type Database, openDatabase } from './platform/db/database.js';
import { DatabaseClock } from './platform/db/database-clock.js';
import { Listener } from './platform/db/listen.js';
import { Replica } from './platform/db/replica.js';
import type { Deadlines } from './platform/db/settings.js';
import { createMetrics, type HttpMetrics } from './platform/observability/metrics.js';
import { Outbound } from './platform/outbound/post.js';

/** The connections and keys that a process uses. assembly.ts distributes them. */
export interface Resources {
  db: Database;
  /** Undefined if no replica is configured. */
  replica: Replica | undefined;
  listener: Listener;
  clock: Clock;
  storage: Storage;
  budgets: Budgets;
  outbound: Outbound;
  metrics: HttpMetrics;
  /** Encrypts values that must be readable again, such as webhook secrets and stored responses. */
  seal: Seal;
  signer: Signer;
  close(): Promise<void>;
}

export interface ResourceOptions {
  connection: pg.ClientConfig;
  databaseDriver?: DatabaseDriver;
  replica?: ReplicaSettings | undefined;
  /** Only tests set it, to replace some of the time limits. */
  deadlines?: Partial<Deadlines>;
  log: Logger;
  publicUrl: string;
  /** The first secret signs and encrypts; all of them verify and decrypt. */
  secrets: string[];
  dataFolder: string;
  s3?: S3Config | undefined;
  webhooks: WebhookConfig;
  redisUrl?: string | undefined;
  /** The clock. Only tests set it; the default is the time of the database. */
  clock?: Clock;
  /**
   * How long a call waits for Redis before this process counts the call without Redis. Only tests set it: they wait
   * longer than the default, because Redis may respond slowly on a busy machine.
   */
  redisTimeoutMs?: number | undefined;
}

export async function openResources(options: ResourceOptions): Promise<Resources> {
  const { connection, log, secrets, webhooks } = options;
  const db = await openDatabase(connection, {
    driver: options.databaseDriver,
    deadlines: options.deadlines,
    areas: { [ORDERS]: ORDERS_CONNECTIONS, [TOKENS]: TOKENS_CONNECTIONS },
    hasReplica: options.replica !== undefined,
  });
  const databaseClock = options.clock ? undefined : await openClock(db, log);
  const clock = options.clock ?? (databaseClock as Clock);
  const replica = openReplica(options, db, clock);
  const listener = new Listener(connection);
  const budgets = await openBudgets(options, clock, new DailyUploads(db, clock));
  const outbound = new Outbound(webhooks);
  const metrics = createMetrics();
  databaseClock?.measure(metrics.registry);
  budgets.measure?.(metrics.registry);
  replica?.measure(metrics.registry);
  return {
    db,
    replica,
    listener,
    clock,
    storage: await openStorage(options, clock),
    budgets,
    outbound,
    metrics,
    seal: new Seal(secrets),
    signer: new Signer(secrets),
    async close() {
      databaseClock?.close();
      budgets.close();
      await outbound.close();
      await listener.close();
      await replica?.close();
      await db.close();
    },
  };
}

function openReplica(
  { replica, databaseDriver, deadlines }: ResourceOptions,
  db: Database,
  clock: Clock,
): Replica | undefined {
  if (!replica) return undefined;
  return new Replica({ ...replica, driver: databaseDriver, deadlines, clock, primary: db.system('replica') });
}

export async function openStorage(
  {
    s3,
    dataFolder,
    publicUrl,
    secrets,
  }: Pick<ResourceOptions, 's3' | 'dataFolder' | 'publicUrl' | 'secrets'>,
  clock: Clock,
): Promise<Storage> {
  if (!s3)
    return new LocalStorage(join(dataFolder, 'media'), `${publicUrl}/uploads`, new Signer(secrets), clock);
  // S3Storage is imported only when needed, because loading the AWS SDK takes 170 ms.
  const { S3Storage } = await import('./media/s3-storage.js');
  return new S3Storage(s3, clock);
}

const CLOCK_WARNING_MS = 2_000;

async function openClock(db: Database, log: Logger): Promise<DatabaseClock> {
  const clock = await DatabaseClock.open(db.system('clock'));
  const aheadMs = clock.machineAheadMs;
  if (Math.abs(aheadMs) > CLOCK_WARNING_MS) {
    const seconds = Math.round(Math.abs(aheadMs) / 1000);
    log.warn(
      `The clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's. Feira uses the database's time; log lines and TLS use this machine's. Run NTP on both.`,
    );
  }
  return clock;
}

async function openBudgets(
  { redisUrl, redisTimeoutMs }: ResourceOptions,
  clock: Clock,
  dailyUploads: DailyUploads,
): Promise<Budgets> {
  if (redisUrl === undefined) return new InMemoryBudgets(new SpenderWindows(clock), dailyUploads);
  const { RedisBudgets } = await import('./platform/budgets/in-redis.js');
  return RedisBudgets.open(redisUrl, clock, dailyUploads, redisTimeoutMs);
}
