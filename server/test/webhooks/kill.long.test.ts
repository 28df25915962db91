import { expect, test } from 'vitest';
import { storm } from '../support/storm.js';

// The short form. `npm run test:faults` runs more rounds and kills PostgreSQL too.

test('a killed api or worker process loses nothing acknowledged, and repeats only what was under way', async () => {
  const report = await storm(['worker', 'api'], 2, 1);
  expect(report.lost).toEqual([]);
  expect(report.unexplained).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(50);
});
