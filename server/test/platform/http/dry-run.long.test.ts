import { expect, test } from 'vitest';
import { runDryAndReal } from '../../support/dry-run-rounds.js';

// FEIRA_DRY_RUNS=10000 takes several minutes on an idle machine.
const WRITES = Number(process.env.FEIRA_DRY_RUNS ?? 2_000);

test(
  `${WRITES} random writes: dry run and real run agree, and a dry run leaves all tables unchanged`,
  async () => {
    const counts = await runDryAndReal(WRITES);
    console.log(JSON.stringify(counts));
    expect(counts.writes).toBe(WRITES);
  },
  30 * 60_000,
);
