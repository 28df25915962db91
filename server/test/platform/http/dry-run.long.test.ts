import { expect, test } from 'vitest';
import { runDryAndReal } from '../../support/dry-run-rounds.js';

test(
  '10,000 random writes: dry run and real run agree, and a dry run leaves no row behind',
  async () => {
    const counts = await runDryAndReal(10_000);
    console.log(JSON.stringify(counts));
    expect(counts.writes).toBe(10_000);
  },
  30 * 60_000,
);
