import type { Logger } from 'pino';
import { Sessions } from './accounts/sessions.js';
import type { AppOptions, ServerOptions } from './app.js';
import { OrderLinks } from './checkout/order-links.js';
import { OrderPlacement } from './checkout/order-placement.js';
import { AnswerMemory } from './events/answer-memory.js';
import { ListReads } from './events/list-reads.js';
import { Sequencer } from './events/sequencer.js';
import { Snapshots } from './events/snapshots.js';
import { LocalStorage } from './media/local-storage.js';
import { Credentials } from './oauth/credentials.js';
import { noRefunder } from './orders/refund.js';
import { paymentReport } from './payments/report.js';
import { SandboxGateway } from './payments/sandbox/gateway.js';
import type { PublicRoutes } from './platform/config.js';
import type { Replica } from './platform/db/replica.js';
import { sql } from './platform/db/sql.js';
import { Flash } from './platform/html/flash.js';
import { PageCache } from './platform/html/page-cache.js';
import type { GatewayName } from './platform/http/public-address.js';
import { ResponseMemory } from './platform/http/response-memory.js';
import { ListMemory } from './platform/lists/list-memory.js';
import { Readiness } from './platform/observability/health.js';
import { openResources, type ResourceOptions, type Resources } from './resources.js';
import { LabelAddresses } from './shipping/label-address.js';
import { OpenedSecrets } from './webhooks/attempt.js';
import { Dispatcher } from './webhooks/dispatcher.js';
import { measureDeliveries } from './webhooks/metrics.js';
import { DeliveryWake } from './webhooks/wake.js';
import type { WorkerOptions } from './worker.js';

export interface AssemblyOptions extends ResourceOptions {
  paymentGateway: GatewayName;
  isTestShop: boolean;
  mediaUrl: string;
  trustedProxies?: string[];
  publicRoutes?: PublicRoutes;
}

/**
 * The resources of a process and the options of the parts that it can start. `app` contains separate options for each
 * domain (catalog, orders and so on), with exactly what that domain uses.
 */
export interface Assembly {
  resources: Resources;
  app: AppOptions;
  monitor: ServerOptions;
  worker: WorkerOptions;
  close(): Promise<void>;
}

/** Opens the resources of a process and distributes them to the HTTP server, the worker and the monitor port. */
export async function assemble(options: AssemblyOptions): Promise<Assembly> {
  const { log, publicUrl, mediaUrl } = options;
  const resources = await openResources(options);
  const { db, replica, listener, clock, storage, budgets, outbound, metrics, seal, signer } = resources;
  const dispatcher = new Dispatcher({
    db: db.system('deliveries'),
    clock,
    log,
    outbound,
    seal: new OpenedSecrets(seal),
    ...options.webhooks,
  });
  const sequencer = new Sequencer(db.system('sequencer'), log, () => dispatcher.wake());
  const wake = new DeliveryWake(db.system('wake'), sequencer, dispatcher);
  const snapshots = new Snapshots(db);
  const memory = () => new ListMemory(db.background('list counts').autocommit);
  const lists = new ListReads(
    db.system('store positions'),
    memory(),
    replica && { server: replica, memory: memory() },
  );
  const responses = new ResponseMemory();
  const answers = new AnswerMemory(db.system('store versions'), responses);
  measureDeliveries(metrics.registry, db.system('metrics'), dispatcher);
  const credentials = new Credentials(db.system('tokens'), clock, listener);
  const sessions = new Sessions(db.system('sessions'), clock, signer, publicUrl);
  const labels = new LabelAddresses(publicUrl, signer, clock);
  const orderLinks = new OrderLinks(publicUrl, signer);
  // The sandbox is the only gateway so far. With PAYMENT_GATEWAY=none, shops cannot accept orders.
  const sandbox =
    options.paymentGateway === 'sandbox'
      ? new SandboxGateway(db, clock, signer, publicUrl, paymentReport(metrics.registry, log))
      : undefined;
  const gateway = sandbox;
  const server: ServerOptions = {
    log,
    metrics,
    readiness: readinessOf(resources, log),
    publicUrl,
    trustedProxies: options.trustedProxies ?? [],
  };
  await listener.start();
  return {
    resources,
    monitor: server,
    app: {
      server,
      publicRoutes: options.publicRoutes ?? { readiness: true, metrics: true },
      storage,
      tokens: { db, clock, credentials, seal, publicUrl },
      labels: { db, labels },
      api: {
        guard: { credentials, budgets },
        idempotency: { db, clock, seal },
        afterWrite: { db, clock, storage, wake },
        catalog: { db, mediaUrl, snapshots, lists, answers, responses },
        media: { db, storage, mediaUrl },
        orders: { db, refunder: gateway ?? noRefunder, snapshots, lists, answers, responses },
        shipping: { clock, labels },
        webhooks: { clock, outbound, seal },
      },
      pages: {
        publicUrl,
        signIn: { db: db.system('accounts'), clock, sessions },
        authorize: { db, clock, sessions, publicUrl },
        console: { db, clock, sessions, credentials },
        partners: {
          db: db.system('accounts'),
          clock,
          sessions,
          flash: new Flash(seal, clock, publicUrl),
        },
        demo: () => undefined,
        storefront: {
          db,
          clock,
          gateway,
          orderLinks,
          placement: new OrderPlacement(db, clock),
          sessions,
          wake,
          lists,
          pages: new PageCache(),
          publicUrl,
          mediaUrl,
          // Storages other than LocalStorage serve images directly, in their original size.
          resizesImages: storage instanceof LocalStorage,
          isTestShop: options.isTestShop,
        },
        sandbox: sandbox && { db, gateway: sandbox, wake, publicUrl },
      },
    },
    worker: { log, listener, sequencer, dispatcher, jobs: { db, clock, storage, seal, gateway, sandbox } },
    async close() {
      wake.close();
      await resources.close();
    },
  };
}

function readinessOf({ db, storage, budgets, replica }: Resources, log: Logger): Readiness {
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
  return new Readiness(checks, log, replica && (() => ({ replica: replicaReport(replica) })));
}

/** This report does not affect readiness, because without its replica a process reads everything from the primary. */
function replicaReport(replica: Replica): object {
  const { state, lagMs } = replica.status();
  return { state, ...(Number.isFinite(lagMs) && { lagSeconds: Math.ceil(lagMs / 100) / 10 }) };
}
