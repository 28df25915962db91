import pg from 'pg';
import type { Config } from '../platform/config.js';
import { pendingMigrations } from '../platform/db/migrate.js';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/start.js';

/** One line in the report of `feira doctor`. */
export interface Finding {
  what: string;
  ok: boolean;
  say: string;
}

const OLDEST_POSTGRES = 150_000;
const EXTENSIONS = ['pg_trgm', 'unaccent', 'btree_gin'];
const TOLERATED_SKEW_MS = 2_000;

export async function checkDatabase(config: Config): Promise<Finding[]> {
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
      return await checkSettings(client, embedded ? 'embedded' : 'DATABASE_URL');
    } finally {
      await client.end();
      await embedded?.close();
    }
  } catch (error) {
    const remedy =
      config.databaseUrl === undefined
        ? 'see the log in the data folder'
        : 'check DATABASE_URL and that PostgreSQL is up';
    return [{ what, ok: false, say: `${(error as Error).message}; ${remedy}` }];
  }
}

async function checkSettings(client: pg.Client, source: string): Promise<Finding[]> {
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
  // While migrations are pending, the table payment_notifications may not exist yet.
  const unmatchedPayments = pending.length === 0 ? await unmatchedPaymentsOf(client) : undefined;
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
      `fsync is on, synchronous_commit is ${db.synchronousCommit}`,
      'fsync or synchronous_commit is off, so acknowledged changes can be lost; turn both on',
    ),
    finding(
      'clock',
      skew < TOLERATED_SKEW_MS,
      'agrees with the database',
      `differs from the database's by ${Math.round(skew / 1000)} s; run NTP on both machines`,
    ),
    finding(
      'migrations',
      true,
      pending.length === 0
        ? 'up to date'
        : `${pending.length} pending; run "feira migrate", or start the server, which applies them`,
      '',
    ),
    finding(
      'payment notifications',
      true,
      unmatchedPayments === undefined
        ? 'not counted, because migrations are pending'
        : unmatchedPayments === 0
          ? 'none needed manual review in the last 30 days'
          : `${unmatchedPayments} needed manual review in the last 30 days; compare their orders with the gateway's records (the reasons are in table payment_notifications, column attention)`,
      '',
    ),
  ];
}

/**
 * Counts the notifications of the last 30 days that needed manual review, such as a second payment of an order, even if
 * a merchant has already marked them as checked.
 */
async function unmatchedPaymentsOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `select count(*)::int as count from payment_notifications
     where attention is not null and received_at > now() - interval '30 days'`,
  );
  return rows[0].count;
}
