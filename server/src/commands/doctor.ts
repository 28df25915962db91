import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import pg from 'pg';
import { systemClock } from '../platform/clock.js';
import { type Config, readConfig } from '../platform/config.js';
import { ConfigError, NoDatabaseError } from '../platform/config-errors.js';
import { pendingMigrations } from '../platform/db/migrate.js';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/start.js';
import { inTime } from '../platform/observability/health.js';
import { openStorage } from '../resources.js';
import type { Command } from './command.js';

interface Finding {
  what: string;
  ok: boolean;
  say: string;
}

const OLDEST_POSTGRES = 150_000;
const EXTENSIONS = ['pg_trgm', 'unaccent', 'btree_gin'];
const TOLERATED_SKEW_MS = 2_000;

export const command: Command = {
  summary: 'Check the configuration, the database, the storage and Redis',
  details: 'Says what is wrong and what to do about it. Changes nothing. Exit code 1 if it found a fault.',
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
    config = readConfig({}, { existing: true });
  } catch (error) {
    if (error instanceof NoDatabaseError) return beforeFirstStart(error.dataFolder);
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((say) => ({ what: 'configuration', ok: false, say }));
  }
  return [
    { what: 'configuration', ok: true, say: `base address ${config.publicUrl}` },
    payments(config),
    dataFolder(config),
    ...(await database(config)),
    await storage(config),
    await budgets(config),
  ];
}

function payments({ paymentGateway, isTestShop }: Config): Finding {
  const say = {
    none: 'none: shops cannot take orders (PAYMENT_GATEWAY)',
    sandbox: isTestShop
      ? 'the sandbox, on a public address: every shop says that its payments are simulated (SANDBOX_ON_PUBLIC_URL)'
      : 'the sandbox: payments are simulated',
  }[paymentGateway];
  return { what: 'payments', ok: true, say };
}

/** The server creates folder, secret and database when it starts; until then there is nothing else to check. */
function beforeFirstStart(folder: string): Finding[] {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(`${existing}/`, constants.W_OK);
  } catch {
    const say = `FEIRA_DATA (${folder}) cannot be created; change the permissions of ${existing}, or set FEIRA_DATA to another folder`;
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
    return { what, ok: true, say: `${folder} is created by the server when it starts` };
  try {
    accessSync(`${folder}/`, constants.W_OK);
    return { what, ok: true, say: folder };
  } catch {
    return {
      what,
      ok: false,
      say: `${folder} is not a folder that this account can write to; change that, or set FEIRA_DATA to another`,
    };
  }
}

/** Checks the same as /readyz, as does the next function. */
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
      ? 'check S3_ENDPOINT, S3_BUCKET and the keys, and that the server is up'
      : 'set FEIRA_DATA to a folder that this account can write to';
    return { what, ok: false, say: `${place} cannot be used (${reasonOf(error)}); ${remedy}` };
  }
}

async function budgets({ redisUrl }: Config): Promise<Finding> {
  const what = 'budgets';
  if (redisUrl === undefined)
    return { what, ok: true, say: 'each process counts on its own; several processes need REDIS_URL' };
  // Imported when it is used, as in the server.
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
    const remedy = 'check REDIS_URL and that the server is up';
    return { what, ok: false, say: `Redis does not answer (${reasonOf(broken ?? error)}); ${remedy}` };
  } finally {
    redis.disconnect();
  }
}

/** When several addresses were tried without success, Node gives a code and no message. */
function reasonOf(error: unknown): string {
  const { message, code, name } = error as NodeJS.ErrnoException;
  return message || code || name;
}

async function database(config: Config): Promise<Finding[]> {
  const what = 'database';
  try {
    const embedded =
      config.databaseUrl === undefined
        ? await startEmbeddedPostgres({ folder: config.dataFolder })
        : undefined;
    const client = new pg.Client({
      ...(embedded?.connection ?? { connectionString: config.databaseUrl }),
      connectionTimeoutMillis: 5_000,
    });
    try {
      await client.connect();
      return await examineDatabase(client, embedded ? 'embedded' : 'DATABASE_URL');
    } finally {
      await client.end();
      await embedded?.close();
    }
  } catch (error) {
    const remedy =
      config.databaseUrl === undefined
        ? 'see the log in the data folder'
        : 'check DATABASE_URL and that the server is up';
    return [{ what, ok: false, say: `${(error as Error).message}; ${remedy}` }];
  }
}

async function examineDatabase(client: pg.Client, source: string): Promise<Finding[]> {
  const { rows } = await client.query(
    `select current_setting('server_version_num')::int as version, current_setting('server_version') as "versionText",
       current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as "synchronousCommit", extract(epoch from clock_timestamp()) * 1000 as now,
       array(select name from pg_available_extensions where name = any($1)) as extensions`,
    [EXTENSIONS],
  );
  const db = rows[0] as {
    version: number;
    versionText: string;
    encoding: string;
    fsync: string;
    synchronousCommit: string;
    now: string;
    extensions: string[];
  };
  const missing = EXTENSIONS.filter((name) => !db.extensions.includes(name));
  const skew = Math.abs(Number(db.now) - Date.now());
  const pending = await pendingMigrations(client);
  const oddPayments = pending.length === 0 ? await oddPaymentsOf(client) : 0;
  const finding = (what: string, ok: boolean, good: string, bad: string): Finding => ({
    what,
    ok,
    say: ok ? good : bad,
  });
  return [
    finding(
      'database',
      db.version >= OLDEST_POSTGRES,
      `PostgreSQL ${db.versionText} (${source})`,
      `PostgreSQL ${db.versionText} is too old; 15 or later is needed`,
    ),
    finding(
      'encoding',
      db.encoding === 'UTF8',
      'UTF8',
      `${db.encoding}; create the database with ENCODING 'UTF8'`,
    ),
    finding(
      'extensions',
      missing.length === 0,
      EXTENSIONS.join(', '),
      `${missing.join(', ')} cannot be installed; add PostgreSQL's contrib package`,
    ),
    finding(
      'durability',
      db.fsync === 'on' && db.synchronousCommit !== 'off',
      'fsync and synchronous_commit are on',
      'fsync or synchronous_commit is off: acknowledged changes can be lost',
    ),
    finding(
      'clock',
      skew < TOLERATED_SKEW_MS,
      'agrees with the database',
      `is ${Math.round(skew / 1000)} s away from the database's; run NTP on both`,
    ),
    finding(
      'migrations',
      true,
      pending.length === 0
        ? 'up to date'
        : `${pending.length} to apply; "feira migrate" or the next start of the server does it`,
      '',
    ),
    finding(
      'payment notifications',
      true,
      oddPayments === 0
        ? 'all fit their orders'
        : `${oddPayments} of the last 30 days do not fit their order; compare the orders with the gateway (table payment_notifications, column attention)`,
      '',
    ),
  ];
}

/** Notifications of the gateway that were recorded but need a person's decision, such as a second payment of an order. */
async function oddPaymentsOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `select count(*)::int as count from payment_notifications
     where attention is not null and received_at > now() - interval '30 days'`,
  );
  return rows[0].count;
}
