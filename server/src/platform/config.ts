import { resolve } from 'node:path';
import { ConfigError, NoDatabaseError } from './config-errors.js';
import { type ReplicaSettings, readReplica } from './config-replica.js';
import { readS3, type S3Config } from './config-s3.js';
import { isNetwork, portIn, readFlag, refuseWeakSecret } from './config-values.js';
import { readSecret } from './crypto/secrets.js';
import { hasDatabase } from './embedded-postgres/location.js';
import {
  type GatewayName,
  isBareHttpUrl,
  isLoopbackHost,
  isLoopbackUrl,
  readGateway,
  readPublicUrl,
} from './http/public-address.js';

export interface Config {
  host: string;
  port: number;
  /** Whether PORT was set. A worker listens only if PORT or METRICS_PORT is set. */
  portIsGiven: boolean;
  /** The base URL that partners and buyers use, without a trailing slash. */
  publicUrl: string;
  /** Whether only this machine can reach the server: it listens on loopback, and PUBLIC_URL is loopback. */
  isLocal: boolean;
  paymentGateway: GatewayName;
  /** Whether the server is public and uses the sandbox gateway. Every shop then shows a notice that it is a test. */
  isTestShop: boolean;
  /** The folder for files, the embedded database and the generated secret. */
  dataFolder: string;
  /** If unset, the embedded PostgreSQL is used. */
  databaseUrl: string | undefined;
  /** A standby from which lists are read. If unset, everything is read from the primary. */
  replica: ReplicaSettings | undefined;
  /** The PostgreSQL client: our pipelined driver, or pg's own client. */
  databaseDriver: DatabaseDriver;
  /** The first secret signs and encrypts. All of them verify and decrypt. */
  secrets: string[];
  /** The Redis server in which all processes count requests for the rate limits. If unset, each counts on its own. */
  redisUrl: string | undefined;
  /** The addresses and networks whose X-Forwarded-For is trusted. */
  trustedProxies: string[];
  webhooks: WebhookConfig;
  /** If unset, files are stored under dataFolder. */
  s3: S3Config | undefined;
  /** A separate address for metrics, readiness and health. */
  monitor: { host: string; port: number } | undefined;
  publicRoutes: PublicRoutes;
  /** The base URL of published files, without a trailing slash. */
  mediaUrl: string;
  logLevel: string;
  /** How long an API process keeps serving after it was asked to stop, so that the load balancer has time to notice. */
  stopDelayMs: number;
}

export type DatabaseDriver = 'pipeline' | 'pg';

/** Which operational routes, besides /healthz, are served on the public port. */
export interface PublicRoutes {
  readiness: boolean;
  metrics: boolean;
}

export interface WebhookConfig {
  backoff: { firstMs: number; factor: number };
  timeoutMs: number;
  /** Allows private and loopback targets. */
  allowPrivate: boolean;
}

const DEFAULT_PORT = 3000;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/**
 * Reads the configuration from the environment. All variables are checked before an error is thrown, so that the error
 * lists every invalid one. With `existing`, a missing embedded database is an error, because only "feira serve" may
 * create one. With `createSecret` false, a missing secret file is an error too, and nothing is created.
 */
export function readConfig(
  overrides: NodeJS.ProcessEnv = {},
  { existing = false, createSecret = true }: { existing?: boolean; createSecret?: boolean } = {},
): Config {
  const env = { ...process.env, ...overrides };
  const faults: string[] = [];
  const read = (name: string) => env[name]?.trim() || undefined;

  const port = portIn(read('PORT') ?? String(DEFAULT_PORT));
  if (port === undefined) faults.push(`PORT must be a number from 1 to 65535, not "${env.PORT}"`);

  const databaseUrl = read('DATABASE_URL');
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    faults.push('DATABASE_URL must start with postgres:// or postgresql://');
  }

  const replica = readReplica(read, faults);
  const databaseDriver = read('FEIRA_DB_DRIVER') ?? 'pipeline';
  if (databaseDriver !== 'pipeline' && databaseDriver !== 'pg')
    faults.push(`FEIRA_DB_DRIVER must be pipeline or pg, not "${databaseDriver}"`);
  const host = read('HOST') ?? '127.0.0.1';
  const publicUrl = readPublicUrl(read, { host, port: port ?? DEFAULT_PORT, databaseUrl }, faults);
  const isPublic = !isLoopbackUrl(publicUrl);
  const isLocal = !isPublic && isLoopbackHost(host);
  const paymentGateway = readGateway(read, publicUrl, faults);

  const redisUrl = read('REDIS_URL');
  if (redisUrl !== undefined && !/^rediss?:\/\//.test(redisUrl))
    faults.push('REDIS_URL must start with redis:// or rediss://');

  const givenSecret = read('FEIRA_SECRET');
  if (givenSecret === undefined && databaseUrl !== undefined) {
    faults.push(
      'FEIRA_SECRET is required together with DATABASE_URL, because every process must use the same secret',
    );
  }
  const previousSecrets = (read('FEIRA_SECRET_PREVIOUS') ?? '')
    .split(',')
    .map((secret) => secret.trim())
    .filter(Boolean);
  if (givenSecret !== undefined) refuseWeakSecret('FEIRA_SECRET', givenSecret, faults);
  for (const secret of previousSecrets) refuseWeakSecret('FEIRA_SECRET_PREVIOUS', secret, faults);

  const trustedProxies = (read('TRUSTED_PROXIES') ?? '').split(/[\s,]+/).filter(Boolean);
  for (const network of trustedProxies)
    if (!isNetwork(network))
      faults.push(`TRUSTED_PROXIES must be addresses or networks such as 10.0.0.0/8, not "${network}"`);

  const webhooks = readWebhooks(read, { isPublic, isLocal }, faults);

  const s3 = readS3(read, faults);
  const givenMediaUrl = read('MEDIA_URL');
  if (givenMediaUrl !== undefined && !isBareHttpUrl(givenMediaUrl))
    faults.push(
      `MEDIA_URL must be an http(s) address without user name, password, query or fragment, not "${givenMediaUrl}"`,
    );
  const mediaUrl =
    givenMediaUrl ?? (s3 ? `${s3.endpoint.replace(/\/+$/, '')}/${s3.bucket}` : `${publicUrl}/media`);

  const { monitor, publicRoutes } = readMonitor(read, port, !isPublic, faults);

  const stopDelayMs = Number(read('STOP_DELAY_MS') ?? 0);
  if (!Number.isInteger(stopDelayMs) || stopDelayMs < 0)
    faults.push(`STOP_DELAY_MS must be a whole number of at least 0, not "${read('STOP_DELAY_MS')}"`);
  const logLevel = read('LOG_LEVEL') ?? 'info';
  if (!LOG_LEVELS.includes(logLevel))
    faults.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not "${logLevel}"`);

  if (faults.length > 0) throw new ConfigError(faults);

  const dataFolder = resolve(read('FEIRA_DATA') ?? '.feira');
  if (existing && databaseUrl === undefined && !hasDatabase(dataFolder))
    throw new NoDatabaseError(dataFolder);
  const kept = givenSecret === undefined ? readSecret(dataFolder, createSecret) : { secret: givenSecret };
  if ('fault' in kept) throw new ConfigError([kept.fault]);
  return {
    host,
    port: port as number,
    portIsGiven: read('PORT') !== undefined,
    publicUrl,
    isLocal,
    paymentGateway,
    isTestShop: isPublic && paymentGateway === 'sandbox',
    dataFolder,
    databaseUrl,
    replica,
    databaseDriver: databaseDriver as DatabaseDriver,
    secrets: [kept.secret, ...previousSecrets],
    redisUrl,
    trustedProxies,
    webhooks,
    monitor,
    publicRoutes,
    s3,
    mediaUrl: mediaUrl.replace(/\/+$/, ''),
    logLevel,
    stopDelayMs,
  };
}

function readWebhooks(
  read: (name: string) => string | undefined,
  { isPublic, isLocal }: { isPublic: boolean; isLocal: boolean },
  faults: string[],
): WebhookConfig {
  const positive = (name: string, fallback: number, least: number): number => {
    const value = Number(read(name) ?? fallback);
    if (!Number.isFinite(value) || value < least)
      faults.push(`${name} must be a number of at least ${least}, not "${read(name)}"`);
    return value;
  };
  const allowed = readFlag(read, 'WEBHOOK_ALLOW_PRIVATE', faults);
  if (allowed && isPublic) {
    faults.push(
      'WEBHOOK_ALLOW_PRIVATE requires a loopback PUBLIC_URL: a public service must not send requests into its own network',
    );
  }
  return {
    backoff: {
      firstMs: positive('WEBHOOK_BACKOFF_MS', 5_000, 1),
      factor: positive('WEBHOOK_BACKOFF_FACTOR', 15, 1),
    },
    timeoutMs: positive('WEBHOOK_TIMEOUT_MS', 5_000, 100),
    // By default only a local server may send to private addresses.
    allowPrivate: allowed ?? isLocal,
  };
}

/**
 * The metrics contain business figures, which must not become public by accident. With METRICS_PORT, /metrics and
 * /readyz are served only on that port. Without it, a public server serves /metrics only if METRICS_PUBLIC is true.
 */
function readMonitor(
  read: (name: string) => string | undefined,
  publicPort: number | undefined,
  onLoopback: boolean,
  faults: string[],
): Pick<Config, 'monitor' | 'publicRoutes'> {
  const [host, given] = [read('METRICS_HOST'), read('METRICS_PORT')];
  const requested = readFlag(read, 'METRICS_PUBLIC', faults);
  if (given === undefined) {
    if (host !== undefined) faults.push('METRICS_HOST needs METRICS_PORT');
    return { monitor: undefined, publicRoutes: { readiness: true, metrics: requested ?? onLoopback } };
  }
  const port = portIn(given);
  if (port === undefined || port === publicPort)
    faults.push(`METRICS_PORT must be a number from 1 to 65535 other than PORT, not "${given}"`);
  return {
    monitor: { host: host ?? '127.0.0.1', port: port ?? 0 },
    publicRoutes: { readiness: false, metrics: false },
  };
}

/** npm sets npm_execpath for the scripts that it runs. */
export function startedByNpm(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.npm_execpath !== undefined;
}

/**
 * The password for `feira store create`, if it is set in the environment. Unlike --owner-password, the variable does
 * not appear in the process list.
 */
export function ownerPasswordVariable(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env.FEIRA_OWNER_PASSWORD || undefined;
}
