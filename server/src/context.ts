import { join } from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import { Sessions } from './accounts/sessions.js';
import { OrderLinks } from './checkout/order-links.js';
import { Sequencer } from './events/sequencer.js';
import { LocalStorage } from './media/local-storage.js';
import type { Storage } from './media/storage.js';
import { Credentials } from './oauth/credentials.js';
import { TOKENS, TOKENS_CONNECTIONS } from './oauth/tokens.js';
import { ORDERS, ORDERS_CONNECTIONS } from './orders/storage.js';
import type { PaymentGateway } from './payments/gateway.js';
import { SandboxGateway } from './payments/sandbox/gateway.js';
import type { Budgets } from './platform/budgets/budgets.js';
import { DailyUploads } from './platform/budgets/daily-uploads.js';
import { InMemoryBudgets } from './platform/budgets/in-memory.js';
import { SpenderWindows } from './platform/budgets/spender-windows.js';
import type { Clock } from './platform/clock.js';
import type { DatabaseDriver, PublicRoutes, S3Config, WebhookConfig } from './platform/config.js';
import { Seal } from './platform/crypto/seal.js';
import { Signer } from './platform/crypto/signer.js';
import { type Database, openDatabase } from './platform/db/database.js';
import { DatabaseClock } from './platform/db/database-clock.js';
import { Listener } from './platform/db/listen.js';
import type { Deadlines } from './platform/db/settings.js';
import { sql } from './platform/db/sql.js';
import { Flash } from './platform/html/flash.js';
import type { GatewayName } from './platform/http/public-address.js';
import { Readiness } from './platform/observability/health.js';
import { createMetrics, type HttpMetrics } from './platform/observability/metrics.js';
import { Outbound } from './platform/outbound/post.js';
import { LabelAddresses } from './shipping/label-address.js';
import { Dispatcher } from './webhooks/dispatcher.js';
import { measureDeliveries } from './webhooks/metrics.js';
import { DeliveryWake } from './webhooks/wake.js';

/** What the domains share. Made once per process, handed down by app.ts and worker.ts. */
export interface Context {
  db: Database;
  clock: Clock;
  log: Logger;
  metrics: HttpMetrics;
  readiness: Readiness;
  publicRoutes: PublicRoutes;
  credentials: Credentials;
  budgets: Budgets;
  sessions: Sessions;
  flash: Flash;
  outbound: Outbound;
  /** Encrypts what must be readable again: webhook secrets and answers kept for idempotency keys. */
  seal: Seal;
  wake: DeliveryWake;
  sequencer: Sequencer;
  dispatcher: Dispatcher;
  listener: Listener;
  dailyUploads: DailyUploads;
  storage: Storage;
  /** Undefined with PAYMENT_GATEWAY=none: shops cannot take orders. */
  gateway: PaymentGateway | undefined;
  /** The gateway again, if it is the sandbox, which has pages and jobs in this process. */
  sandbox: SandboxGateway | undefined;
  isTestShop: boolean;
  labels: LabelAddresses;
  orderLinks: OrderLinks;
  publicUrl: string;
  trustedProxies: string[];
  mediaUrl: string;
  close(): Promise<void>;
}

export interface ContextOptions {
  connection: pg.ClientConfig;
  databaseDriver?: DatabaseDriver;
  /** Only tests set them. */
  deadlines?: Partial<Deadlines>;
  log: Logger;
  publicUrl: string;
  paymentGateway: GatewayName;
  isTestShop: boolean;
  trustedProxies?: string[];
  /** The first signs and seals; all of them verify and open. */
  secrets: string[];
  dataFolder: string;
  s3?: S3Config | undefined;
  mediaUrl: string;
  webhooks: WebhookConfig;
  redisUrl?: string | undefined;
  /** Only tests set it; the default is the database's time. */
  clock?: Clock;
  publicRoutes?: PublicRoutes;
  /** Only tests set it, where the exact count matters and the machine is busy. */
  redisPatienceMs?: number | undefined;
}

export async function openContext(options: ContextOptions): Promise<Context> {
  const { connection, log, publicUrl, mediaUrl, secrets, webhooks } = options;
  const db = await openDatabase(connection, {
    driver: options.databaseDriver,
    deadlines: options.deadlines,
    areas: { [ORDERS]: ORDERS_CONNECTIONS, [TOKENS]: TOKENS_CONNECTIONS },
  });
  const databaseClock = options.clock ? undefined : await openClock(db, log);
  const clock = options.clock ?? (databaseClock as Clock);
  const listener = new Listener(connection);
  const credentials = new Credentials(db.system('tokens'), clock, listener);
  const dailyUploads = new DailyUploads(db, clock);
  const budgets = await openBudgets(options, clock, dailyUploads);
  const outbound = new Outbound(webhooks);
  const seal = new Seal(secrets);
  const signer = new Signer(secrets);
  const wake = new DeliveryWake(db.system('wake'));
  const dispatcher = new Dispatcher({ db: db.system('deliveries'), clock, log, outbound, seal, ...webhooks });
  const storage = await openStorage(options, clock);
  const metrics = createMetrics();
  measureDeliveries(metrics.registry, db.system('metrics'), dispatcher);
  databaseClock?.measure(metrics.registry);
  budgets.measure?.(metrics.registry);
  const sandbox =
    options.paymentGateway === 'sandbox' ? new SandboxGateway(db, clock, signer, publicUrl) : undefined;
  await listener.start();
  return {
    db,
    clock,
    log,
    metrics,
    readiness: readinessOf({ db, storage, budgets }, log),
    publicRoutes: options.publicRoutes ?? { readiness: true, metrics: true },
    listener,
    credentials,
    budgets,
    sessions: new Sessions(db.system('sessions'), clock, signer, publicUrl),
    flash: new Flash(seal, clock, publicUrl),
    outbound,
    seal,
    wake,
    sequencer: new Sequencer(db.system('sequencer'), log, () => dispatcher.wake()),
    dispatcher,
    dailyUploads,
    storage,
    gateway: sandbox,
    sandbox,
    isTestShop: options.isTestShop,
    labels: new LabelAddresses(publicUrl, signer, clock),
    orderLinks: new OrderLinks(publicUrl, signer),
    publicUrl,
    trustedProxies: options.trustedProxies ?? [],
    mediaUrl,
    async close() {
      databaseClock?.close();
      budgets.close();
      wake.close();
      await outbound.close();
      await listener.close();
      await db.close();
    },
  };
}

const WORTH_A_WARNING_MS = 2_000;

async function openClock(db: Database, log: Logger): Promise<DatabaseClock> {
  const clock = await DatabaseClock.open(db.system('clock'));
  const aheadMs = clock.machineAheadMs;
  if (Math.abs(aheadMs) > WORTH_A_WARNING_MS) {
    const seconds = Math.round(Math.abs(aheadMs) / 1000);
    log.warn(
      `The clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's. Feira uses the database's time; log lines and TLS use this machine's. Run NTP on both.`,
    );
  }
  return clock;
}

function readinessOf(
  { db, storage, budgets }: Pick<Context, 'db' | 'storage' | 'budgets'>,
  log: Logger,
): Readiness {
  const checks = {
    database: async () => {
      await db.system('health').query(sql`select 1`);
      return 'ok' as const;
    },
    storage: async () => {
      await storage.check();
      return 'ok' as const;
    },
    budgets: () => budgets.check(),
  };
  return new Readiness(checks, log);
}

export async function openStorage(
  { s3, dataFolder, publicUrl, secrets }: Pick<ContextOptions, 's3' | 'dataFolder' | 'publicUrl' | 'secrets'>,
  clock: Clock,
): Promise<Storage> {
  if (!s3)
    return new LocalStorage(join(dataFolder, 'media'), `${publicUrl}/uploads`, new Signer(secrets), clock);
  // Imported when it is used: the SDK takes 170 ms to load.
  const { S3Storage } = await import('./media/s3-storage.js');
  return new S3Storage(s3, clock);
}

async function openBudgets(
  { redisUrl, redisPatienceMs }: ContextOptions,
  clock: Clock,
  dailyUploads: DailyUploads,
): Promise<Budgets> {
  if (redisUrl === undefined) return new InMemoryBudgets(new SpenderWindows(clock), dailyUploads);
  const { RedisBudgets } = await import('./platform/budgets/in-redis.js');
  return RedisBudgets.open(redisUrl, clock, dailyUploads, redisPatienceMs);
}
