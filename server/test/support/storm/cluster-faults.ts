import type { LocalCluster, Part } from '../local-cluster.js';
import type { Random } from '../random.js';
import type { Kill } from './target.js';

/** Something that goes wrong in a cluster. It returns when the cluster is whole again. */
export interface Fault {
  title: string;
  run(cluster: LocalCluster, context: FaultContext): Promise<void>;
}

interface FaultContext {
  random: Random;
  /** Waits until more writes are acknowledged. */
  writesGoOn(): Promise<void>;
}

export const FAULTS: Fault[] = [
  {
    title: 'an API process is killed',
    run: (cluster, { random, writesGoOn }) =>
      record(cluster, 'api', () => cluster.kill(random.pick(['api1', 'api2'])), writesGoOn),
  },
  {
    title: 'a worker is killed',
    run: (cluster, { random, writesGoOn }) =>
      record(cluster, 'worker', () => cluster.kill(random.pick(['worker1', 'worker2'])), writesGoOn),
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
    run: (cluster, { writesGoOn }) =>
      record(cluster, 'postgres', async () => {
        await cluster.switchover();
        await writesGoOn();
      }),
  },
  {
    title: 'a failover: the machine of the primary is gone',
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
];

async function without(cluster: LocalCluster, part: Part, work: () => Promise<void>): Promise<void> {
  await cluster.down(part);
  await work();
  await cluster.up(part);
  await work();
}

/** Notes when the fault began and ended, which explains deliveries that arrive twice. */
async function record(
  cluster: LocalCluster,
  victim: Kill['victim'],
  fault: () => Promise<void>,
  afterwards?: () => Promise<void>,
): Promise<void> {
  const kill: Kill = { victim, at: performance.now(), over: Number.POSITIVE_INFINITY };
  cluster.kills.push(kill);
  await fault();
  kill.over = performance.now();
  await afterwards?.();
}
