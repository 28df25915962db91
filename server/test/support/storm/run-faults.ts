import type { LocalCluster } from '../local-cluster.js';
import { until } from '../process.js';
import type { Random } from '../random.js';
import type { Fault } from './cluster-faults.js';
import { countFailures } from './failed-calls.js';
import { runStorm } from './run-storm.js';
import { longestGap, ResultTable } from './write-gap.js';

/** Enough writes to show that the cluster still accepts them. */
const WRITES = 20;
/** The time allowed for a fault, and for each wait until calls succeed or fail. Only a hanging fault takes so long. */
export const FAULT_MS = 180_000;
/** A failover counts as failed if no write succeeds for more than this many seconds. */
const LONGEST_GAP_S = 30;

/**
 * Causes faults one after the other while writers work. Prints a line for each fault and a table at the end, and
 * returns the problems.
 */
export async function runFaults(cluster: LocalCluster, random: Random, faults: Fault[]): Promise<string[]> {
  const table = new ResultTable();
  const problems: string[] = [];
  const { faults: differences, ...figures } = await runStorm(cluster, random, async (progress) => {
    for (const [index, fault] of faults.entries()) {
      await cluster.untilSynchronous();
      await untilMore(progress.acknowledgedAt, WRITES);
      const begun = performance.now();
      const failedBefore = progress.failedCalls().length;
      await fault.run(cluster, {
        random,
        writesGoOn: () => untilMore(progress.acknowledgedAt, WRITES),
        callsFail: () => untilMore(progress.failedCalls, 1),
        failedCalls: progress.failedCalls,
        report: (problem) => void problems.push(problem),
      });
      const gap = longestGap(progress.acknowledgedAt(), begun);
      table.add(fault.title, gap);
      if (fault.isFailover && gap > LONGEST_GAP_S)
        problems.push(`${fault.title}: no write succeeded for ${gap.toFixed(1)} s`);
      const failed = countFailures(progress.failedCalls().slice(failedBefore));
      process.stdout.write(
        `[${index + 1}/${faults.length}] ${fault.title}: write gap ${gap.toFixed(1)} s; ${progress.acknowledged()} writes acknowledged so far; failed calls: ${JSON.stringify(failed)}\n`,
      );
    }
  });
  process.stdout.write(`\n${table}\n${JSON.stringify(figures)}\n`);
  return [...problems, ...differences];
}

function untilMore(list: () => unknown[], count: number): Promise<void> {
  const wanted = list().length + count;
  return until(() => list().length >= wanted, FAULT_MS);
}
