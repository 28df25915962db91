import { defineConfig } from 'vitest/config';

// No test is retried. A race that is lost once in a hundred runs is a bug, and a retry would hide it.
const shared = {
  globalSetup: ['server/test/support/cluster.ts'],
  // The timeout only stops tests that hang. It is long, because a test that starts processes takes many times longer on
  // a busy machine.
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

/** Files with tests that `sized` makes larger in the long project, such as race tests and randomized tests. */
const LARGE = [
  'server/test/fuzz.test.ts',
  'server/test/isolation.test.ts',
  'server/test/catalog/product-cursor.test.ts',
  'server/test/catalog/product-search-large.test.ts',
  'server/test/catalog/sort-values.test.ts',
  'server/test/catalog/variation-balances.test.ts',
  'server/test/checkout/races.test.ts',
  'server/test/commands/demo-store.test.ts',
  'server/test/events/consumers.test.ts',
  'server/test/events/order.test.ts',
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
    // `npm test` sets three workers, because its tests often wait for locks, timeouts and other processes; with two
    // workers, a machine with two cores was idle for an eighth of the time. The long suite measures how long the event
    // loop is blocked, so it uses two.
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: 'fast',
          // A worker loads the server once. Loading it for every file took half of all CPU time. Sharing it is safe:
          // test files that must not share data have their own databases, and test files do not affect each other
          // through the state of a module.
          isolate: false,
          include: ['server/test/**/*.test.ts', 'sdk/test/**/*.test.ts'],
          exclude: ['**/*.long.test.ts', '**/*.system.test.ts', '**/*.faults.test.ts'],
        },
      },
      // Slow tests, for example those that kill processes, run large races or send many fuzzed requests.
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
