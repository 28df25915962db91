import pg from 'pg';
import { expect } from 'vitest';
import { type Feira, openFeira } from './feira.js';
import { PostgresCluster } from './postgres-cluster.js';
import { until } from './process.js';

const MAX_LAG_MS = 60_000;

/** A database with a real standby, two servers that read lists from the standby, and one that does not use it. */
export class Replicated {
  private constructor(
    private readonly primaryCluster: PostgresCluster,
    readonly standbyCluster: PostgresCluster,
    readonly processes: [Feira, Feira],
    readonly plain: Feira,
  ) {}

  static async start(): Promise<Replicated> {
    const primary = PostgresCluster.start({
      fsync: 'off',
      // No standby has this name, so a session that sets synchronous_commit = on waits after its commit until the
      // statement is canceled.
      synchronous_standby_names: 'absent',
      synchronous_commit: 'local',
    });
    const connection = await primary.createDatabase('replicated');
    const plain = await openFeira({ connection });
    const standby = primary.startStandby();
    const replica = { connection: { ...standby.connection, database: 'replicated' }, maxLagMs: MAX_LAG_MS };
    const open = () => openFeira({ on: plain, replica });
    const replicated = new Replicated(primary, standby, [await open(), await open()], plain);
    await replicated.untilState('in_use');
    return replicated;
  }

  /** Waits until both processes report this state of the replica. */
  async untilState(state: string): Promise<void> {
    for (const { app } of this.processes)
      await until(async () => (await app.inject({ url: '/readyz' })).json().replica.state === state);
  }

  /** Moves the clock so far that a standby that has stopped replaying is too old to be used. */
  passMaxLag(): void {
    this.plain.clock.forward(2 * MAX_LAG_MS);
  }

  /** Waits until the standby has everything that is committed now. */
  async catchUp(): Promise<void> {
    const [{ position } = { position: '' }] = await this.onPrimary('select pg_current_wal_lsn() as position');
    await until(async () => {
      const [row] = await this.onStandby(`select pg_last_wal_replay_lsn() >= '${position}' as is_current`);
      return row!.is_current === true;
    });
  }

  /** Pauses replay, so that the standby does not change until `resume`. */
  async pause(): Promise<void> {
    await this.onStandby('select pg_wal_replay_pause()');
    await until(async () => {
      const [row] = await this.onStandby('select pg_get_wal_replay_pause_state() as state');
      return row!.state === 'paused';
    });
  }

  async resume(): Promise<void> {
    await this.onStandby('select pg_wal_replay_resume()');
  }

  /** Sets how long replay waits for conflicting statements before it cancels them. */
  async setReplayPatience(milliseconds: number): Promise<void> {
    await this.onStandby(`alter system set max_standby_streaming_delay = ${milliseconds}`);
    await this.onStandby('select pg_reload_conf()');
  }

  /** Returns how many replica reads by the two servers had this outcome. */
  async reads(outcome: 'answered' | 'outdated' | 'busy' | 'failed'): Promise<number> {
    const counts = await Promise.all(
      this.processes.map(async ({ app }) => {
        const { body } = await app.inject({ url: '/metrics' });
        return Number(body.match(`feira_replica_reads_total{outcome="${outcome}"} (\\d+)`)?.[1]);
      }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Expects that the replica answers this many reads during the work. */
  async expectAnswered<T>(count: number, work: () => Promise<T>): Promise<T> {
    const before = await this.reads('answered');
    const result = await work();
    expect((await this.reads('answered')) - before).toBe(count);
    return result;
  }

  onPrimary(text: string): Promise<Record<string, unknown>[]> {
    return queryOnce(this.plain.connection, text);
  }

  onStandby(text: string): Promise<Record<string, unknown>[]> {
    return queryOnce({ ...this.standbyCluster.connection, database: 'replicated' }, text);
  }

  async close(): Promise<void> {
    for (const feira of [...this.processes, this.plain]) await feira.close();
    this.standbyCluster.close();
    this.primaryCluster.close();
  }
}

async function queryOnce(connection: pg.ClientConfig, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
