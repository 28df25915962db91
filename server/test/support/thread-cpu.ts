import { existsSync, readFileSync } from 'node:fs';

const SCHEDSTAT = '/proc/thread-self/schedstat';
const HAS_SCHEDSTAT = existsSync(SCHEDSTAT);

/**
 * The processor time that this thread has used, in milliseconds. Time during which another process had the core does not
 * count, and neither do the threads that hash passwords, decode images or run PostgreSQL: only what keeps the event loop
 * from serving others. Outside Linux the whole process is counted, which can only be more.
 */
export function threadCpuMs(): number {
  if (HAS_SCHEDSTAT) return Number(readFileSync(SCHEDSTAT, 'utf8').split(' ', 1)[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export async function cpuOf<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const begun = threadCpuMs();
  const result = await work();
  return { result, ms: threadCpuMs() - begun };
}

/** What `calibrationWork` takes on a core of the machine that the budgets were chosen on. */
const REFERENCE_MS = 20;
const document = JSON.stringify(
  Array.from({ length: 12_000 }, (_, index) => ({ id: index, name: `Product ${index}`, price: index / 100 })),
);

function calibrationWork(): void {
  for (let round = 0; round < 2; round++) JSON.stringify(JSON.parse(document));
}

/**
 * How many times slower than the reference this thread is at the moment, at least 1: a core that is shared with a
 * neighbour runs at half its speed, and then every budget is worth twice as much processor time.
 */
export function slowness(): number {
  const begun = threadCpuMs();
  calibrationWork();
  return Math.max(1, (threadCpuMs() - begun) / REFERENCE_MS);
}
