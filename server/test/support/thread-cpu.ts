import { existsSync, readFileSync } from 'node:fs';

const SCHEDSTAT = '/proc/thread-self/schedstat';
const HAS_SCHEDSTAT = existsSync(SCHEDSTAT);

/**
 * Returns the CPU time of this thread in milliseconds. This is the time that blocks the event loop. It excludes other
 * processes, such as PostgreSQL, and the threads that hash passwords or decode images. On systems other than Linux the
 * CPU time of the whole process is returned, which can only be more.
 */
function threadCpuMs(): number {
  if (HAS_SCHEDSTAT) return Number(readFileSync(SCHEDSTAT, 'utf8').split(' ', 1)[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export async function cpuOf<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const begun = threadCpuMs();
  const result = await work();
  return { result, ms: threadCpuMs() - begun };
}

/** The CPU time of `calibrationWork` on the machine for which the budgets were chosen. */
const REFERENCE_MS = 20;
const document = JSON.stringify(
  Array.from({ length: 12_000 }, (_, index) => ({ id: index, name: `Product ${index}`, price: index / 100 })),
);

function calibrationWork(): void {
  for (let round = 0; round < 2; round++) JSON.stringify(JSON.parse(document));
}

/**
 * Returns how many times slower than the reference machine this thread currently is, but at least 1. A core shared
 * with another virtual machine may run at half its speed. EventLoopGuard repeats a request that exceeded its budget,
 * and divides the time of each repetition by this number.
 */
export function slowness(): number {
  const begun = threadCpuMs();
  calibrationWork();
  return Math.max(1, (threadCpuMs() - begun) / REFERENCE_MS);
}
