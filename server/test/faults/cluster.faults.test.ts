import { expect, test } from 'vitest';
import { LocalCluster } from '../support/local-cluster.js';
import { until } from '../support/process.js';
import { Random } from '../support/random.js';
import { FAULTS } from '../support/storm/cluster-faults.js';
import { type Progress, runStorm, STORM_SETTINGS } from '../support/storm/run-storm.js';
import { longestGap, ResultTable } from '../support/storm/write-gap.js';

// Needs the Debian packages that `deploy/local-cluster/cluster start` lists.

/** Every round has each fault once. */
const ROUNDS = Number(process.env.FEIRA_FAULT_ROUNDS ?? 1);
/** Enough to show that writes go on. */
const WRITES = 20;
const FAULT_MS = 180_000;

test(`nothing acknowledged is lost or doubled over ${ROUNDS} × ${FAULTS.length} faults of a cluster`, {
  timeout: 300_000 + ROUNDS * FAULTS.length * FAULT_MS,
}, async () => {
  const seed = Date.now() % 1_000_000;
  const random = new Random(seed);
  const table = new ResultTable();
  const cluster = await LocalCluster.start(STORM_SETTINGS);
  try {
    const disturb = async (progress: Progress) => {
      const writesGoOn = () => untilMore(progress, WRITES);
      const rounds = Array.from({ length: ROUNDS }, () => FAULTS).flat();
      for (const [index, fault] of rounds.entries()) {
        await cluster.untilSynchronous();
        await writesGoOn();
        const begun = performance.now();
        await fault.run(cluster, { random, writesGoOn });
        const gap = longestGap(progress.acknowledgedAt(), begun);
        table.add(fault.title, gap);
        progressLine(
          `[${index + 1}/${rounds.length}] ${fault.title}: write gap ${gap.toFixed(1)} s`,
          progress,
        );
      }
    };
    const { faults, ...figures } = await runStorm(cluster, random, disturb);
    process.stdout.write(`\n${table}\n${JSON.stringify({ seed, ...figures })}\n`);
    expect(faults).toEqual([]);
  } finally {
    await cluster.stop();
  }
});

function untilMore({ acknowledgedAt }: Progress, count: number): Promise<void> {
  const wanted = acknowledgedAt().length + count;
  return until(() => acknowledgedAt().length >= wanted, FAULT_MS);
}

function progressLine(text: string, progress: Progress): void {
  process.stdout.write(`${text}; ${progress.acknowledged()} writes acknowledged so far\n`);
}
