import type { Fault } from './cluster-faults.js';

const ORDER = ['worker1', 'worker2', 'api1', 'api2'] as const;

/**
 * Follows the steps in docs/OPERATIONS.md: the new version migrates while the old one is serving, then the processes
 * are replaced one by one. A call may fail only in a way that lets every client safely repeat it.
 */
export const ROLLING_UPGRADE: Fault = {
  title: 'a rolling upgrade from the previous version',
  async run(cluster, { writesGoOn, failedCalls, report }) {
    const before = failedCalls().length;
    await cluster.feira('migrate');
    await writesGoOn();
    for (const part of ORDER) {
      await cluster.replace(part);
      await writesGoOn();
    }
    const failed = failedCalls().slice(before);
    for (const { call, problem, isCleanRetry } of failed)
      if (!isCleanRetry) report(`${call} failed during the upgrade: ${problem}`);
  },
};
