import { describe, expect, test } from 'vitest';
import {
  commitAsynchronously,
  doubleEvents,
  loseDeliveries,
  miscountStock,
} from '../support/storm/sabotage.js';
import { storm } from '../support/storm/storm.js';

// These tests run the storm test against servers with deliberate bugs, to show that its checks detect them. Run them
// with `npm run test:mutations`.

describe('the storm test detects a server that', { timeout: 600_000 }, () => {
  test('acknowledges commits before they are on the disk', async () => {
    const { faults } = await storm({
      victims: ['postgres'],
      kills: 2,
      seed: 2,
      sabotage: commitAsynchronously,
    });
    expect(faults).toContainEqual(expect.stringMatching(/was done: 0 (rows|events|orders)/));
  });

  test('loses a delivery', async () => {
    const { faults } = await storm({ victims: [], kills: 0, seed: 3, sabotage: loseDeliveries });
    expect(faults).toContainEqual(expect.stringMatching(/was never delivered$/));
  });

  test('writes an event twice', async () => {
    const { faults } = await storm({ victims: [], kills: 0, seed: 4, sabotage: doubleEvents });
    expect(faults).toContainEqual(expect.stringMatching(/2 events/));
  });

  test('stores some stock balances one unit too high', async () => {
    const { faults } = await storm({ victims: [], kills: 0, seed: 5, sabotage: miscountStock });
    expect(faults).toContainEqual(
      expect.stringMatching(/^stock write \d+ of product .+ was done: 0 events$/),
    );
    expect(faults).toContainEqual(
      expect.stringMatching(/units in stock, but \d+ are expected from the orders$/),
    );
  });
});
