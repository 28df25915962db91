import { readFileSync } from 'node:fs';
import type { LocalCluster } from './local-cluster.js';
import { query } from './seed.js';

/** The values measured at one point in time, keyed by metric name. */
export type Sample = Map<string, number>;

const MEGABYTE = 1024 * 1024;
/** For tables smaller than this, the size per row is not recorded, because it says nothing about wasted space. */
const LEAST_TABLE_BYTES = MEGABYTE;
/** The size per row is computed as if a table had at least this many rows, because queues are often almost empty. */
const LEAST_ROWS = 1_000;

/** Measures the memory, connections, WAL rate, tables and backlog of a cluster. */
export class Sampler {
  private wal: { bytes: number; at: number } | undefined;

  constructor(private readonly cluster: LocalCluster) {}

  async take(): Promise<Sample> {
    const sample: Sample = new Map();
    for (const [name, pid] of this.cluster.pids) sample.set(`memory of ${name} (MB)`, memory(pid, 'VmRSS'));
    await this.readConnections(sample);
    await this.readWal(sample);
    await this.readTables(sample);
    sample.set('events and deliveries under way', await this.backlog());
    return sample;
  }

  async backlog(): Promise<number> {
    const [row] = await query<{ count: string }>(
      this.cluster.primary,
      `select (select count(*) from outbox) + (select count(*) from deliveries where status = 'pending') as count`,
    );
    return Number(row!.count);
  }

  /**
   * PostgreSQL shows the prepared statements of a session only to that session, and PgBouncer 1.18 does not show them
   * at all. They are in the private memory of the session, so this memory is recorded instead.
   */
  private async readConnections(sample: Sample): Promise<void> {
    const sessions = await query<{ pid: number }>(
      this.cluster.primary,
      `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    const pools = await query<Record<string, string>>(this.cluster.pgbouncer, 'show pools');
    const count = (prefix: string) =>
      pools
        .filter(({ database }) => database === 'feira')
        .flatMap((pool) => Object.entries(pool).filter(([column]) => column.startsWith(prefix)))
        .reduce((sum, [, value]) => sum + Number(value), 0);
    const memoryOfSessions = sessions.reduce((sum, { pid }) => sum + memory(pid, 'RssAnon'), 0);
    sample.set('connections to PostgreSQL', sessions.length);
    sample.set('clients of PgBouncer', count('cl_'));
    sample.set('servers of PgBouncer', count('sv_'));
    sample.set('private memory of sessions, with prepared statements (MB)', memoryOfSessions);
  }

  private async readWal(sample: Sample): Promise<void> {
    const [row] = await query<{ bytes: string }>(
      this.cluster.primary,
      `select pg_current_wal_lsn() - '0/0' as bytes`,
    );
    const wal = { bytes: Number(row!.bytes), at: performance.now() };
    const before = this.wal;
    this.wal = wal;
    if (before) sample.set('WAL (kB/s)', (wal.bytes - before.bytes) / 1.024 / (wal.at - before.at));
  }

  private async readTables(sample: Sample): Promise<void> {
    const tables = await query<{ name: string; bytes: string; live: string; dead: string }>(
      this.cluster.primary,
      `select relname as name, pg_total_relation_size(relid) as bytes, n_live_tup as live, n_dead_tup as dead
       from pg_stat_user_tables order by bytes desc`,
    );
    const total = (column: 'bytes' | 'live' | 'dead') =>
      tables.reduce((sum, table) => sum + Number(table[column]), 0);
    sample.set('size of all tables (MB)', total('bytes') / MEGABYTE);
    sample.set('dead rows (% of all rows)', (100 * total('dead')) / (total('live') + total('dead')));
    for (const { name, bytes, live } of tables)
      if (Number(bytes) >= LEAST_TABLE_BYTES)
        sample.set(`bytes per row: ${name}`, Number(bytes) / Math.max(Number(live), LEAST_ROWS));
  }
}

/** Returns a value from /proc/…/status in MB, or 0 if the process has ended. */
function memory(pid: number, line: 'VmRSS' | 'RssAnon'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
