import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { FindDemo } from '../docs/demo.js';
import { type Config, readConfig } from '../platform/config.js';
import { Supervisor } from '../platform/embedded-postgres/supervise.js';
import { createLog } from '../platform/observability/log.js';
import { type Command, UsageError } from './command.js';
import { connectAndMigrate } from './connect.js';
import { stopRequest } from './stop-request.js';

export const command: Command = {
  summary: 'Start the server',
  details:
    'Applies missing migrations. Without DATABASE_URL, it uses the embedded database and creates it if there is none. If,\nin addition, only this machine can reach the server, the first start creates a demo store with an app, and every start\nprints how to call the API.',
  options: {
    role: {
      value: 'R',
      description: 'What this process runs: everything (default), HTTP only, or the background jobs only',
      choices: ['all', 'api', 'worker'],
    },
    port: { value: 'P', description: 'Port to listen on (default: PORT, or 3000)' },
  },
  example: 'feira serve --port 8080',
  async run(values) {
    const config = readConfig(values.port === undefined ? {} : { PORT: String(values.port) });
    const role = values.role ?? 'all';
    const log = createLog(config.logLevel);
    // To save time, the modules are loaded while PostgreSQL starts in its own process.
    const [
      connected,
      { buildApp, buildMonitorApp },
      { assemble },
      { startWorker },
      { ensureDemo, fillDemo, renewing },
      { welcome },
    ] = await Promise.all([
      connectAndMigrate(config),
      import('../app.js'),
      import('../assembly.js'),
      import('../worker.js'),
      import('./demo.js'),
      import('./welcome.js'),
    ]);
    const assembly = await assemble({
      ...config,
      connection: connected.connection,
      // The replica serves only lists, which background jobs do not read.
      replica: role === 'worker' ? undefined : config.replica,
      log,
    });
    const supervisor = connected.embedded && new Supervisor(config.dataFolder, connected.embedded, log);
    supervisor?.measure(assembly.resources.metrics.registry);
    const worker = role === 'api' ? undefined : startWorker(assembly.worker);
    let demo: ReturnType<FindDemo>;
    const pages = { ...assembly.app.pages, demo: () => demo };
    const app = role === 'worker' ? undefined : await buildApp({ ...assembly.app, pages });
    const monitorAddress = config.monitor ?? workerAddress(String(role), config);
    const monitor = monitorAddress && buildMonitorApp(assembly.monitor);
    const stop = async () => {
      await app?.close();
      await worker?.stop();
      await monitor?.close();
      await assembly.close();
      await (supervisor ?? connected).close();
    };
    try {
      if (monitor) await listen(monitor, monitorAddress);
      if (app) await listen(app, config);
    } catch (error) {
      await stop();
      throw error;
    }
    const stopped = stopRequest((why) => log.info({ why }, 'stopping'));
    log.info({ role, host: config.host, port: config.port, publicUrl: config.publicUrl }, 'started');
    const stopFilling = new AbortController();
    let filling: Promise<void> | undefined;
    // A demo account, whose password is saved in a file, must not exist on a server that others can reach.
    if (role !== 'worker' && config.databaseUrl === undefined && config.isLocal) {
      const opened = await ensureDemo(assembly.resources, config.dataFolder);
      demo = renewing(assembly.resources, opened);
      console.log(welcome(config, opened, process.stdout.isTTY === true));
      const { orderLinks, placement } = assembly.app.pages.storefront;
      const gateway = assembly.worker.jobs.sandbox;
      const services = { ...assembly.resources, gateway, orderLinks, placement };
      filling = fillDemo(services, opened, config.dataFolder, stopFilling.signal).catch((error: unknown) => {
        if (!stopFilling.signal.aborted) log.warn({ err: error }, 'filling the demo store failed');
      });
    }
    const databaseIsLost = await Promise.race([
      stopped.then(() => false),
      supervisor?.gaveUp.then(() => true) ?? stopped.then(() => false),
    ]);
    if (databaseIsLost) process.exitCode = 1;
    stopFilling.abort();
    await filling;
    if (app && !databaseIsLost && config.stopDelayMs > 0) {
      app.drain();
      await delay(config.stopDelayMs);
    }
    await stop();
    log.info('stopped');
    return undefined;
  },
};

interface Address {
  host: string;
  port: number;
}

/**
 * Returns the address on which a worker serves health and metrics if METRICS_PORT is not set. Without PORT it does not
 * listen at all, because it has no public routes and several workers may run on one machine.
 */
function workerAddress(role: string, { host, port, portIsGiven }: Config): Address | undefined {
  return role === 'worker' && portIsGiven ? { host, port } : undefined;
}

async function listen(app: FastifyInstance, { host, port }: Address): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new UsageError(
        `Port ${port} of ${host} is taken. Choose another one with PORT, --port or METRICS_PORT.`,
      );
    if (code === 'EACCES')
      throw new UsageError(
        `Port ${port} requires root privileges. Choose one above 1023 with PORT, --port or METRICS_PORT.`,
      );
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      throw new UsageError(
        `${host} is not an address of this machine. Change HOST or METRICS_HOST: 127.0.0.1 accepts connections from this machine only, 0.0.0.0 from all.`,
      );
    throw error;
  }
}
