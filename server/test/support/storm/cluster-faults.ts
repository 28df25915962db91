import { setTimeout as delay } from 'node:timers/promises';
import type { LocalCluster, Part } from '../local-cluster.js';
import type { Random } from '../random.js';
import type { FailedCall } from './failed-calls.js';
import type { Kill } from './target.js';

/** Something that goes wrong in a cluster. `run` resolves when the cluster has recovered. */
export interface Fault {
  title: string;
  /**
   * Whether another server may become the primary. If so, a long time without acknowledged writes is reported as a
   * problem.
   */
  isFailover?: true;
  /** Whether the fault is part of the short run (FEIRA_FAULTS=short). */
  isShort?: true;
  /** Whether root is required: to change the packet filter, or to mount the disk that the fault fills. */
  needsRoot?: true;
  run(cluster: LocalCluster, context: FaultContext): Promise<void>;
}

interface FaultContext {
  random: Random;
  /** Waits until new writes are acknowledged. */
  writesGoOn(): Promise<void>;
  /** Waits until a call fails. */
  callsFail(): Promise<void>;
  failedCalls(): FailedCall[];
  /** Adds a problem to the result of the run. */
  report(problem: string): void;
}

/** How long a disk stays full, or connections are silent or slow: longer than each limit in FOREGROUND_DEADLINES. */
const HOLD_MS = 10_000;

export const FAULTS: Fault[] = [
  {
    title: 'an API process is killed',
    isShort: true,
    run: (cluster, { random, writesGoOn }) =>
      killProcess(cluster, 'api', random.pick(['api1', 'api2']), writesGoOn),
  },
  {
    title: 'a worker is killed',
    isShort: true,
    run: (cluster, { random, writesGoOn }) =>
      killProcess(cluster, 'worker', random.pick(['worker1', 'worker2']), writesGoOn),
  },
  {
    title: 'PgBouncer is killed',
    run: (cluster, { writesGoOn }) =>
      record(cluster, 'postgres', async () => {
        await cluster.kill('pgbouncer');
        await writesGoOn();
      }),
  },
  {
    title: 'PostgreSQL is killed on the primary',
    isFailover: true,
    run: (cluster, { writesGoOn }) =>
      record(cluster, 'postgres', async () => {
        await cluster.kill(await cluster.primary());
        await writesGoOn();
      }),
  },
  { title: 'Redis restarts empty', run: (cluster, { writesGoOn }) => cluster.kill('redis').then(writesGoOn) },
  { title: 'Redis is gone', run: (cluster, { writesGoOn }) => without(cluster, 'redis', writesGoOn) },
  { title: 'the storage is gone', run: (cluster, { writesGoOn }) => without(cluster, 'radosgw', writesGoOn) },
  {
    title: 'a switchover',
    isFailover: true,
    run: (cluster, { writesGoOn }) =>
      record(cluster, 'postgres', async () => {
        await cluster.switchover();
        await writesGoOn();
      }),
  },
  {
    title: 'a failover: the machine of the primary is gone',
    isFailover: true,
    isShort: true,
    async run(cluster, { writesGoOn }) {
      const lost = await cluster.primary();
      await record(cluster, 'postgres', async () => {
        await cluster.down(lost);
        await cluster.primary(lost);
        await writesGoOn();
      });
      await cluster.up(lost);
    },
  },
  {
    title: 'the clocks of an API process and a worker jump',
    async run(cluster, { writesGoOn }) {
      for (const offset of ['+1h', '-1h']) {
        for (const part of ['api1', 'worker1'] as const) await cluster.setClock(part, offset);
        await writesGoOn();
      }
      for (const part of ['api1', 'worker1'] as const) await cluster.resetClock(part);
    },
  },
  {
    title: 'the connections to PgBouncer are silent',
    needsRoot: true,
    run: (cluster, { writesGoOn }) =>
      record(cluster, 'postgres', async () => {
        await cluster.disturbNetwork('pgbouncer', 'silent');
        await delay(HOLD_MS);
        await cluster.repairNetwork('pgbouncer');
        await writesGoOn();
      }),
  },
  {
    title: 'the connections to PgBouncer are slow',
    needsRoot: true,
    run: (cluster, { writesGoOn }) =>
      record(cluster, 'postgres', async () => {
        await cluster.disturbNetwork('pgbouncer', 'slow');
        await Promise.all([delay(HOLD_MS), writesGoOn()]);
        await cluster.repairNetwork('pgbouncer');
        await writesGoOn();
      }),
  },
  {
    title: 'the disk of the primary is full',
    needsRoot: true,
    async run(cluster, { callsFail, writesGoOn }) {
      const full = await cluster.primary();
      await record(cluster, 'postgres', async () => {
        await cluster.fillDisk(full);
        await callsFail();
        await delay(HOLD_MS);
        await cluster.freeDisk(full);
        await writesGoOn();
      });
    },
  },
];

/**
 * Kills a process and waits until it is ready again. The next fault must not hit the other process of the same kind
 * while this one is still starting.
 */
async function killProcess(
  cluster: LocalCluster,
  victim: 'api' | 'worker',
  part: 'api1' | 'api2' | 'worker1' | 'worker2',
  writesGoOn: () => Promise<void>,
): Promise<void> {
  await record(cluster, victim, () => cluster.kill(part));
  await writesGoOn();
  await cluster.untilReady(part);
}

async function without(cluster: LocalCluster, part: Part, work: () => Promise<void>): Promise<void> {
  await cluster.down(part);
  await work();
  await cluster.up(part);
  await work();
}

/** Records when the fault began and ended, to explain deliveries that arrive twice. */
async function record(
  cluster: LocalCluster,
  victim: Kill['victim'],
  fault: () => Promise<void>,
): Promise<void> {
  const kill: Kill = { victim, at: performance.now(), over: Number.POSITIVE_INFINITY };
  cluster.kills.push(kill);
  await fault();
  kill.over = performance.now();
}
