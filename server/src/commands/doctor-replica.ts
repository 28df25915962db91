import pg from 'pg';
import type { Config } from '../platform/config.js';
import type { Finding } from './doctor-database.js';

export async function checkReplica({ replica }: Config): Promise<Finding> {
  const what = 'replica';
  if (!replica)
    return { what, ok: true, say: 'none: everything is read from the primary (REPLICA_URL is not set)' };
  const client = new pg.Client({ ...replica.connection, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    const { rows } = await client.query('select pg_is_in_recovery() as is_standby');
    return rows[0].is_standby
      ? { what, ok: true, say: `a standby; not used while it is more than ${replica.maxLagMs} ms behind` }
      : { what, ok: false, say: 'not a standby, so it is not used; set REPLICA_URL to a standby' };
  } catch (error) {
    const say = `${(error as Error).message}; check REPLICA_URL and that the server is up`;
    return { what, ok: false, say };
  } finally {
    await client.end();
  }
}
