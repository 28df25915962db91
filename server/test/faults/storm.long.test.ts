import { expect, test } from 'vitest';
import { storm } from '../support/storm/storm.js';

// This is the short form of the storm test. `npm run test:faults` runs it with more kills.

test('no acknowledged write is lost or duplicated when processes and PostgreSQL are killed under load', {
  timeout: 600_000,
}, async () => {
  const { faults, ...figures } = await storm({ victims: ['worker', 'api', 'postgres'], kills: 4, seed: 1 });
  console.log(figures);
  expect(faults).toEqual([]);
});
