import type { Sample } from './cluster-samples.js';

/**
 * How much the mean of a measure may grow from the first to the last third of the samples: a share of the first mean,
 * plus a constant.
 */
interface Allowance {
  measure: RegExp;
  share: number;
  constant: number;
}

const ALLOWANCES: Allowance[] = [
  { measure: /^memory/, share: 0.1, constant: 10 },
  { measure: /connections|PgBouncer/, share: 0, constant: 2 },
  { measure: /prepared/, share: 0.1, constant: 5 },
  // A checkpoint doubles the WAL rate for a while.
  { measure: /^WAL/, share: 0.2, constant: 0 },
  // For most tables, autovacuum waits until about a fifth of the rows are dead, so the percentage rises and falls.
  { measure: /^dead rows/, share: 0, constant: 5 },
  { measure: /^bytes per row/, share: 0.15, constant: 0 },
  { measure: /under way/, share: 0, constant: 50 },
  { measure: /^failed/, share: 0, constant: 0 },
];

/** Prints the means of the first and the last third of the samples, and returns the measures that grew too much. */
export function printFlatness(samples: Sample[]): string[] {
  const size = Math.max(1, Math.floor(samples.length / 3));
  const early = samples.slice(0, size);
  const late = samples.slice(-size);
  const names = [...samples.at(-1)!.keys()].filter((name) => early.some((sample) => sample.has(name)));
  const width = Math.max(...names.map((name) => name.length));
  console.log(`\n${''.padEnd(width)}  first third   last third   change   verdict`);
  return names.filter((name) => {
    const [first, last] = [mean(early, name), mean(late, name)];
    const allowance = ALLOWANCES.find(({ measure }) => measure.test(name));
    const isFlat = !allowance || last <= first * (1 + allowance.share) + allowance.constant;
    console.log(
      name.padEnd(width),
      first.toFixed(1).padStart(12),
      last.toFixed(1).padStart(12),
      (first === 0 ? '–' : `${((last / first - 1) * 100).toFixed(1)}%`).padStart(8),
      ` ${allowance ? (isFlat ? 'flat' : 'GROWS') : 'for information'}`,
    );
    return !isFlat;
  });
}

function mean(samples: Sample[], name: string): number {
  const values = samples.flatMap((sample) => sample.get(name) ?? []);
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
