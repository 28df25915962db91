import type { FastifyInstance } from 'fastify';
import { buildApp, buildWorkerApp } from '../app.js';
import { type Context, openContext } from '../context.js';
import { type Config, readConfig } from '../platform/config.js';
import { createLog } from '../platform/log.js';
import { startWorker } from '../worker.js';
import { type Command, UsageError } from './command.js';
import { connect } from './connect.js';
import { ensureDemo, welcome } from './demo.js';
import { stopRequest } from './stop-request.js';

export const command: Command = {
  summary: 'Start the server; on the embedded database it makes a demo store on the first start',
  options: {
    role: {
      value: 'R',
      description: 'What this process does: everything, the HTTP side, or the background jobs',
      choices: ['all', 'api', 'worker'],
    },
    port: { value: 'P', description: 'Port to listen on, instead of PORT' },
  },
  example: 'feira serve --port 8080',
  async run(values) {
    const config = readConfig(values.port === undefined ? {} : { PORT: String(values.port) });
    const role = values.role ?? 'all';
    const log = createLog(config.logLevel);
    const connected = await connect(config);
    const context = await openContext({ ...config, connection: connected.connection, log });
    const worker = role === 'api' ? undefined : startWorker(context);
    const app = await appOf(String(role), context, config);
    const stop = async () => {
      await app?.close();
      await worker?.stop();
      await context.close();
      await connected.close();
    };
    try {
      if (app) await listen(app, config);
    } catch (error) {
      await stop();
      throw error;
    }
    const stopped = stopRequest(log);
    log.info({ role, host: config.host, port: config.port, publicUrl: config.publicUrl }, 'started');
    if (role !== 'worker' && config.databaseUrl === undefined)
      console.log(welcome(config, await ensureDemo(context, config.dataFolder)));
    await stopped;
    await stop();
    log.info('stopped');
    return undefined;
  },
};

/** A worker listens only where it is told to: there may be several on a machine, and nobody has to call them. */
async function appOf(
  role: string,
  context: Context,
  { portIsGiven }: Config,
): Promise<FastifyInstance | undefined> {
  if (role !== 'worker') return buildApp(context);
  return portIsGiven ? buildWorkerApp(context) : undefined;
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new UsageError(`Port ${port} of ${host} is taken; choose another with PORT or --port`);
    if (code === 'EACCES')
      throw new UsageError(`Port ${port} needs more rights; choose one above 1023 with PORT or --port`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      throw new UsageError(
        `HOST ${host} is not an address of this machine; 127.0.0.1 listens to this machine only, 0.0.0.0 to all`,
      );
    throw error;
  }
}
