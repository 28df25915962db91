import { defineConfig } from 'vitest/config';

// No test is retried: a race that loses once in a hundred runs is a fault, and a retry would hide it.
const shared = {
  globalSetup: ['server/test/support/cluster.ts'],
  // Only for what hangs. A test that starts processes takes many times longer on a machine that is busy, and no claim
  // depends on that.
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

/** Races and random runs that `sized` makes larger in the long project. */
const LARGE = [
  'server/test/fuzz.test.ts',
  'server/test/isolation.test.ts',
  'server/test/catalog/product-cursor.test.ts',
  'server/test/catalog/product-search-large.test.ts',
  'server/test/catalog/variation-balances.test.ts',
  'server/test/checkout/races.test.ts',
  'server/test/commands/demo-store.test.ts',
  'server/test/events/consumers.test.ts',
  'server/test/events/feed.test.ts',
  'server/test/events/snapshot-feed.test.ts',
  'server/test/oauth/exchange-races.test.ts',
  'server/test/oauth/malformed-input.test.ts',
  'server/test/orders/delta-sync.test.ts',
  'server/test/orders/unavailable.test.ts',
  'server/test/payments/notification-order.test.ts',
  'server/test/webhooks/exclude-own.test.ts',
  'server/test/webhooks/outbound.test.ts',
  'server/test/webhooks/parallel-workers.test.ts',
];

export default defineConfig({
  test: {
    // npm test has three: its tests wait for locks, timeouts and other processes, which left two cores idle for an eighth
    // of the time. The long suite has tests that measure how long the event loop is blocked.
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: 'fast',
          // A worker loads the server once and not for every file: that was half of all processor time. What files must
          // not share lives in a database of their own, and no module keeps state that one of them could change.
          isolate: false,
          include: ['server/test/**/*.test.ts', 'sdk/test/**/*.test.ts'],
          exclude: ['**/*.long.test.ts', '**/*.system.test.ts', '**/*.faults.test.ts'],
        },
      },
      // What needs minutes: processes that are killed, large crowds, many fuzzed requests.
      {
        test: {
          ...shared,
          name: 'long',
          include: ['{server,sdk}/test/**/*.long.test.ts', ...LARGE],
          env: { FEIRA_LARGE_TESTS: 'true' },
          testTimeout: 300_000,
        },
      },
      { test: { ...shared, name: 'faults', include: ['server/test/faults/**/*.faults.test.ts'] } },
      { test: { ...shared, name: 'system', include: ['{server,sdk}/test/**/*.system.test.ts'] } },
    ],
  },
});
