import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock } from '../platform/clock.js';
import { type Config, readConfig } from '../platform/config.js';
import { ConfigError, NoDatabaseError } from '../platform/config-errors.js';
import { inTime } from '../platform/observability/health.js';
import { openStorage } from '../resources.js';
import type { Command } from './command.js';
import { checkDatabase, type Finding } from './doctor-database.js';
import { checkReplica } from './doctor-replica.js';

export const command: Command = {
  summary: 'Check the configuration, the database, the replica, the storage and Redis',
  details: 'Reports problems and how to fix them. Changes nothing. Exits with code 1 if it found a problem.',
  options: {},
  example: 'feira doctor',
  async run() {
    const findings = await examine();
    if (findings.some((finding) => !finding.ok)) process.exitCode = 1;
    return { ok: findings.every((finding) => finding.ok), findings };
  },
  describe: ({ findings }: { findings: Finding[] }) =>
    findings.map(({ ok, what, say }) => `${ok ? 'ok   ' : 'FAULT'}  ${what}: ${say}`).join('\n'),
};

async function examine(): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig({}, { existing: true, createSecret: false });
  } catch (error) {
    if (error instanceof NoDatabaseError) return beforeFirstStart(error.dataFolder);
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((say) => ({ what: 'configuration', ok: false, say }));
  }
  return [
    { what: 'configuration', ok: true, say: `base address ${config.publicUrl}` },
    payments(config),
    dataFolder(config),
    ...(await checkDatabase(config)),
    await checkReplica(config),
    await storage(config),
    await budgets(config),
  ];
}

function payments({ paymentGateway, isTestShop }: Config): Finding {
  const say = {
    none: 'no payment gateway, so shops cannot take orders; set PAYMENT_GATEWAY to change this',
    sandbox: isTestShop
      ? 'the sandbox, on a public address (SANDBOX_ON_PUBLIC_URL): every shop says that its payments are simulated'
      : 'the sandbox: payments are simulated',
  }[paymentGateway];
  return { what: 'payments', ok: true, say };
}

/**
 * The server creates the folder, the secret and the database on its first start. Before that, doctor checks only the
 * configuration, and whether the folder can be created or written to.
 */
function beforeFirstStart(folder: string): Finding[] {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(`${existing}/`, constants.W_OK);
  } catch {
    const say = `FEIRA_DATA (${folder}) cannot be created or written to; change the permissions of ${existing}, or set FEIRA_DATA to another folder`;
    return [{ what: 'configuration', ok: false, say }];
  }
  return [
    { what: 'configuration', ok: true, say: 'valid' },
    { what: 'database', ok: true, say: `none yet in ${folder}; "feira serve" creates it on its first start` },
  ];
}

function dataFolder({ dataFolder: folder }: Config): Finding {
  const what = 'data folder';
  if (!existsSync(folder))
    return { what, ok: true, say: `${folder} does not exist; the server creates it if needed` };
  try {
    accessSync(`${folder}/`, constants.W_OK);
    return { what, ok: true, say: folder };
  } catch {
    return {
      what,
      ok: false,
      say: `${folder} is not a folder that this account can write to; change its permissions, or set FEIRA_DATA to another folder`,
    };
  }
}

/** Performs the same check as /readyz. */
async function storage(config: Config): Promise<Finding> {
  const what = 'storage';
  const place = config.s3
    ? `bucket ${config.s3.bucket} at ${config.s3.endpoint}`
    : 'files in the data folder';
  try {
    const opened = await openStorage(config, systemClock);
    await inTime(() => opened.check());
    return { what, ok: true, say: place };
  } catch (error) {
    const remedy = config.s3
      ? 'check S3_ENDPOINT, S3_BUCKET and the keys, and that the S3 server is up'
      : 'set FEIRA_DATA to a folder that this account can write to';
    return { what, ok: false, say: `${place} cannot be used (${reasonOf(error)}); ${remedy}` };
  }
}

async function budgets({ redisUrl }: Config): Promise<Finding> {
  const what = 'budgets';
  if (redisUrl === undefined)
    return { what, ok: true, say: 'each process counts calls on its own; set REDIS_URL to share the counts' };
  // Imported on first use, as in the server, to keep the start fast.
  const { openRedis } = await import('../platform/budgets/shared-windows.js');
  const redis = openRedis(redisUrl);
  let broken: Error | undefined;
  redis.on('error', (error) => {
    broken = error;
  });
  try {
    await inTime(async () => {
      await once(redis, 'ready');
      await redis.ping();
    });
    return { what, ok: true, say: 'Redis answers' };
  } catch (error) {
    const remedy = 'check REDIS_URL and that Redis is up';
    return { what, ok: false, say: `Redis does not answer (${reasonOf(broken ?? error)}); ${remedy}` };
  } finally {
    redis.disconnect();
  }
}

/** If Node tried several addresses without success, the error has a code but no message. */
function reasonOf(error: unknown): string {
  const { message, code, name } = error as NodeJS.ErrnoException;
  return message || code || name;
}
