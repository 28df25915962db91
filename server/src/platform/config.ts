import { resolve } from 'node:path';
import { ConfigError, NoDatabaseError } from './config-errors.js';
import { isNetwork, portIn, refuseWeakSecret } from './config-values.js';
import { keptSecret } from './crypto/secrets.js';
import { hasDatabase } from './embedded-postgres/place.js';
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
  /** And is not the usual one. */
  portIsGiven: boolean;
  /** What partners call the base address, without a slash at the end. */
  publicUrl: string;
  /** Only this machine can reach the server: it listens on loopback, and its address is loopback. */
  isLocal: boolean;
  paymentGateway: GatewayName;
  /** The sandbox is on although the address is public: every shop says so. */
  isTestShop: boolean;
  /** Where files, the embedded database and the made secret live. */
  dataFolder: string;
  /** Unset: the embedded PostgreSQL. */
  databaseUrl: string | undefined;
  /** Which code speaks to PostgreSQL: our pipelined driver, or pg's own client. */
  databaseDriver: DatabaseDriver;
  /** The first signs and seals; all of them verify and open. */
  secrets: string[];
  /** Unset: each process counts budgets by itself. */
  redisUrl: string | undefined;
  /** Whose X-Forwarded-For is believed: addresses and networks. */
  trustedProxies: string[];
  webhooks: WebhookConfig;
  /** Unset: files under dataFolder. */
  s3: S3Config | undefined;
  /** Where metrics, readiness and health are served apart from the public port. */
  monitor: { host: string; port: number } | undefined;
  publicRoutes: PublicRoutes;
  /** Where published files are served, without a slash at the end. */
  mediaUrl: string;
  logLevel: string;
}

export type DatabaseDriver = 'pipeline' | 'pg';

export interface S3Config {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** What the public port serves besides /healthz. */
export interface PublicRoutes {
  readiness: boolean;
  metrics: boolean;
}

export interface WebhookConfig {
  backoff: { firstMs: number; factor: number };
  timeoutMs: number;
  /** Private and loopback targets. */
  allowPrivate: boolean;
}

const DEFAULT_PORT = 3000;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/**
 * Reports all faults at once, so that one start shows everything that has to be corrected. With `existing`, a data
 * folder without a database is refused instead of being filled: only the server creates one.
 */
export function readConfig(
  overrides: NodeJS.ProcessEnv = {},
  { existing = false }: { existing?: boolean } = {},
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
      'FEIRA_SECRET is required together with DATABASE_URL: every process must sign with the same one',
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
    faults.push(`MEDIA_URL must be an http(s) address without query or fragment, not "${givenMediaUrl}"`);
  const mediaUrl =
    givenMediaUrl ?? (s3 ? `${s3.endpoint.replace(/\/+$/, '')}/${s3.bucket}` : `${publicUrl}/media`);

  const { monitor, publicRoutes } = readMonitor(read, port, !isPublic, faults);

  const logLevel = read('LOG_LEVEL') ?? 'info';
  if (!LOG_LEVELS.includes(logLevel))
    faults.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not "${logLevel}"`);

  if (faults.length > 0) throw new ConfigError(faults);

  const dataFolder = resolve(read('FEIRA_DATA') ?? '.feira');
  if (existing && databaseUrl === undefined && !hasDatabase(dataFolder))
    throw new NoDatabaseError(dataFolder);
  const kept = givenSecret === undefined ? keptSecret(dataFolder) : { secret: givenSecret };
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
  };
}

/** All of them or none: half a configuration would put files where nobody looks for them. */
function readS3(read: (name: string) => string | undefined, faults: string[]): S3Config | undefined {
  const needed = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
  const missing = needed.filter((name) => read(name) === undefined);
  if (missing.length === needed.length) return undefined;
  for (const name of missing) faults.push(`${name} is missing: object storage needs ${needed.join(', ')}`);
  const endpoint = read('S3_ENDPOINT') ?? '';
  if (endpoint !== '' && !isBareHttpUrl(endpoint))
    faults.push(`S3_ENDPOINT must be an http(s) address, not "${endpoint}"`);
  return {
    endpoint,
    bucket: read('S3_BUCKET') ?? '',
    region: read('S3_REGION') ?? 'us-east-1',
    accessKeyId: read('S3_ACCESS_KEY_ID') ?? '',
    secretAccessKey: read('S3_SECRET_ACCESS_KEY') ?? '',
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
  const allowed = read('WEBHOOK_ALLOW_PRIVATE');
  if (allowed !== undefined && !['true', 'false', '1', '0'].includes(allowed))
    faults.push('WEBHOOK_ALLOW_PRIVATE must be true or false');
  const wanted = allowed === 'true' || allowed === '1';
  if (wanted && isPublic) {
    faults.push(
      'WEBHOOK_ALLOW_PRIVATE works only while PUBLIC_URL is loopback: a public service must not reach into its own network',
    );
  }
  return {
    backoff: {
      firstMs: positive('WEBHOOK_BACKOFF_MS', 5_000, 1),
      factor: positive('WEBHOOK_BACKOFF_FACTOR', 15, 1),
    },
    timeoutMs: positive('WEBHOOK_TIMEOUT_MS', 5_000, 100),
    // Not by accident: as soon as others can reach the server, they must be asked for.
    allowPrivate: allowed === undefined ? isLocal : wanted,
  };
}

/** Figures about the business must not be public by accident, so a public server serves /metrics only when requested. */
function readMonitor(
  read: (name: string) => string | undefined,
  publicPort: number | undefined,
  onLoopback: boolean,
  faults: string[],
): Pick<Config, 'monitor' | 'publicRoutes'> {
  const [host, given, requested] = [read('METRICS_HOST'), read('METRICS_PORT'), read('METRICS_PUBLIC')];
  if (requested !== undefined && !['true', 'false', '1', '0'].includes(requested))
    faults.push('METRICS_PUBLIC must be true or false');
  if (given === undefined) {
    if (host !== undefined) faults.push('METRICS_HOST needs METRICS_PORT');
    const metrics = requested === undefined ? onLoopback : ['true', '1'].includes(requested);
    return { monitor: undefined, publicRoutes: { readiness: true, metrics } };
  }
  const port = portIn(given);
  if (port === undefined || port === publicPort)
    faults.push(`METRICS_PORT must be a number from 1 to 65535 other than PORT, not "${given}"`);
  return {
    monitor: { host: host ?? '127.0.0.1', port: port ?? 0 },
    publicRoutes: { readiness: false, metrics: false },
  };
}

/** npm sets it for the scripts it runs. */
export function startedByNpm(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.npm_execpath !== undefined;
}

/** The password of `feira store create`: in the environment it is in neither the process list nor the shell history. */
export function ownerPasswordVariable(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env.FEIRA_OWNER_PASSWORD || undefined;
}
