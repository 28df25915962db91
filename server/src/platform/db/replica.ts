import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../clock.js';
import { Admission, type Applicant, NotAdmitted } from '../concurrency/admission.js';
import type { DatabaseDriver } from '../config.js';
import type { ReplicaSettings } from '../config-replica.js';
import { OpenConnections } from './open-connections.js';
import { connectPg } from './pg-connection.js';
import { connectPipeline } from './pipeline/pipeline-connection.js';
import { Pool } from './pool.js';
import { ReplicaLag } from './replica-lag.js';
import type { Deadlines } from './settings.js';
import { type Queryable, Share } from './share.js';
import { sql } from './sql.js';
import { DatabaseUnavailable, isFromDatabase } from './unavailable.js';

interface ReplicaOptions extends ReplicaSettings {
  driver?: DatabaseDriver | undefined;
  deadlines?: Partial<Deadlines> | undefined;
  clock: Clock;
  primary: Queryable;
}

export type ReplicaState = 'in_use' | 'behind' | 'unreachable' | 'not_a_standby';

/** The outcomes of a read on the replica. After any outcome but 'answered', the primary is read instead. */
const OUTCOMES = ['answered', 'outdated', 'busy', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

/**
 * The number of connections that a process opens to its replica. To the primary it opens two fewer than it would
 * without a replica (see database.ts).
 */
const REPLICA_CONNECTIONS = 2;
const CHECK_EVERY_MS = 1_000;
const PROBE_IDLE_MS = 2_000;
/**
 * Most of these limits are shorter than on the primary, because a read that fails on the replica is repeated on the
 * primary.
 */
const DEADLINES: Deadlines = {
  lockMs: 1_000,
  statementMs: 2_000,
  answerMs: 3_000,
  transactionMs: 6_000,
  connectMs: 2_000,
  waitMs: 20,
  probeMs: 1_500,
};
const CHECK: Applicant = { key: 'check', limit: 1, isUrgent: true };

/**
 * A physical standby of the database, from which lists may be read. No request depends on it: a list that cannot be
 * read from the replica is read from the primary.
 */
export class Replica {
  private state: ReplicaState = 'unreachable';
  private readonly lag = new ReplicaLag();
  private readonly openConnections: OpenConnections;
  private readonly admission = new Admission({ total: REPLICA_CONNECTIONS });
  private readonly outcomes = new Map<Outcome, number>(OUTCOMES.map((outcome) => [outcome, 0]));
  private readonly shareOf: (applicant: Applicant) => Share;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly options: ReplicaOptions) {
    const deadlines = { ...DEADLINES, ...options.deadlines };
    const connect = options.driver === 'pg' ? connectPg : connectPipeline;
    this.openConnections = new OpenConnections({ idleMs: PROBE_IDLE_MS, answerMs: deadlines.probeMs });
    const pool = new Pool(this.openConnections, () => connect(options.connection, deadlines));
    const resources = { admission: this.admission, pool, reads: undefined, deadlines };
    this.shareOf = (applicant) => new Share(applicant, resources);
    void this.check();
  }

  get isUsable(): boolean {
    return this.status().state === 'in_use';
  }

  /** The state at the last check or failed read, or 'behind' if the lag has exceeded its limit since then. */
  status(): { state: ReplicaState; lagMs: number } {
    const lagMs = this.lag.atMostMs(this.options.clock.monotonic());
    const isLate = this.state === 'in_use' && lagMs > this.options.maxLagMs;
    return { state: isLate ? 'behind' : this.state, lagMs };
  }

  /**
   * Runs `read` in one snapshot of the replica. Returns undefined if `read` returns undefined, or if the replica is
   * busy or fails, for example because replaying the log cancels a statement. The caller must then read from the
   * primary.
   */
  async read<T>(
    workspaceId: string,
    read: (db: Queryable) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    try {
      const share = this.shareOf({ key: workspaceId, limit: REPLICA_CONNECTIONS });
      const result = await share.transaction(read, { isSnapshot: true });
      this.count(result === undefined ? 'outdated' : 'answered');
      return result;
    } catch (error) {
      if (error instanceof NotAdmitted) this.count('busy');
      else if (isFromDatabase(error)) this.count('failed');
      else throw error;
      // Until the next check, other reads go to the primary without trying the replica.
      if (error instanceof DatabaseUnavailable) this.state = 'unreachable';
      return undefined;
    }
  }

  measure(registry: Registry): void {
    const replica = this;
    const registers = [registry];
    new Gauge({
      name: 'feira_replica_used',
      help: '1 while lists may be read from the replica',
      registers,
      collect() {
        this.set(replica.isUsable ? 1 : 0);
      },
    });
    new Gauge({
      name: 'feira_replica_lag_seconds',
      help: 'Upper bound of the lag: every commit older than this is in the replica. +Inf until it is known',
      registers,
      collect() {
        this.set(replica.status().lagMs / 1000);
      },
    });
    new Counter({
      name: 'feira_replica_reads_total',
      help: 'Lists requested from the replica, by outcome. Those that it did not answer were read from the primary',
      labelNames: ['outcome'],
      registers,
      collect() {
        this.reset();
        for (const [outcome, count] of replica.outcomes) this.inc({ outcome }, count);
      },
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.openConnections.close();
  }

  private count(outcome: Outcome): void {
    this.outcomes.set(outcome, this.outcomes.get(outcome)! + 1);
  }

  private async check(): Promise<void> {
    this.state = await this.currentState().catch(() => 'unreachable' as const);
    if (this.isClosed) return;
    this.timer = setTimeout(() => void this.check(), CHECK_EVERY_MS).unref();
  }

  private async currentState(): Promise<ReplicaState> {
    const { clock, primary, maxLagMs } = this.options;
    const askedAt = clock.monotonic();
    const [written] = await primary.query<{ position: number }>(
      sql`select (pg_current_wal_lsn() - '0/0')::bigint as position`,
    );
    this.lag.primaryReached(written!.position, askedAt);
    const share = this.shareOf(CHECK);
    const [replayed] = await share.transaction(
      (db) =>
        db.query<{ is_standby: boolean; position: number | null }>(
          sql`select pg_is_in_recovery() as is_standby, (pg_last_wal_replay_lsn() - '0/0')::bigint as position`,
        ),
      { waitMs: DEADLINES.answerMs },
    );
    if (!replayed!.is_standby) return 'not_a_standby';
    this.lag.replicaReached(replayed!.position ?? 0);
    return this.lag.atMostMs(clock.monotonic()) > maxLagMs ? 'behind' : 'in_use';
  }
}
