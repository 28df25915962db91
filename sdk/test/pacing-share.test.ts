import { expect, test } from 'vitest';
import { type BudgetState, reserve, settle } from '../src/pacing/budget.js';
import { simulate } from './support/budget-simulation.js';

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

test.each([
  ['three busy clients', { limit: 120, clients: [300, 300, 300] }],
  ['three clients with unequal work', { limit: 120, clients: [400, 60, 20] }],
  ['five clients', { limit: 120, clients: [200, 200, 200, 200, 200] }],
  ['clients that start one after the other', { limit: 120, clients: [300, 300, 300], stagger: 90_000 }],
])(
  'without a shared budget, %s make all their calls, and none is rejected later than a minute after the last client has started',
  (_name, scenario) => {
    const total = scenario.clients.reduce((sum, count) => sum + count);
    const firstMinute =
      60_000 + (scenario.clients.length - 1) * (('stagger' in scenario && scenario.stagger) || 0);
    for (const seed of SEEDS) {
      const { done, failed, refusals } = simulate({ ...scenario, seed });
      expect({ done, failed, late: refusals.filter((at) => at > firstMinute) }).toEqual({
        done: total,
        failed: 0,
        late: [],
      });
    }
  },
);

test('a single client makes all its calls, and none is rejected', () => {
  expect(simulate({ limit: 120, clients: [600], seed: 1 })).toEqual({ done: 600, failed: 0, refusals: [] });
});

/** Makes a call that is answered immediately. Returns whether a slot was free. */
function call(state: BudgetState, now: number, remaining: number): boolean {
  const id = `call ${now}`;
  if (reserve(state, id, now) > 0) return false;
  settle(state, id, { limit: 10, remaining }, now, () => 0);
  return true;
}

test('a client limits and spreads its calls when it and other clients have used most of the limit', () => {
  const state: BudgetState = { calls: [] };
  expect([9, 7, 5, 2].map((remaining, index) => call(state, index, remaining))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(state.share?.calls).toBe(3);
  expect(reserve(state, 'next', 1_000)).toBeGreaterThan(50_000);
  expect(call(state, 60_500, 8)).toBe(true);
  expect(reserve(state, 'next', 60_500)).toBe(20_000);
});

test('a client uses the whole limit again when no other client has called for two minutes', () => {
  const state: BudgetState = { calls: [] };
  for (const [index, remaining] of [9, 7, 2].entries()) call(state, index, remaining);
  expect(state.share).toBeDefined();
  expect(call(state, 130_000, 9)).toBe(true);
  expect(state.share).toBeUndefined();
});

test('a client reduces its share while little of the limit remains, and increases it when enough remains', () => {
  const state: BudgetState = { limit: 100, calls: [] };
  const others = { id: 'other', at: 0, isOver: true };
  state.share = { calls: 20, changedAt: 0, othersAt: 0 };
  state.calls = [others, ...own(20, 29_000, 1)];
  settle(state, 'own 0', { limit: 100, remaining: 1 }, 31_000, () => 0);
  expect(state.share.calls).toBe(18);
  state.calls = [others, ...own(18, 60_000, 40)];
  settle(state, 'own 0', { limit: 100, remaining: 40 }, 61_000, () => 0);
  expect(state.share.calls).toBe(22);
});

function own(count: number, at: number, remaining: number) {
  return Array.from({ length: count }, (_, index) => ({ id: `own ${index}`, at, isOver: true, remaining }));
}
