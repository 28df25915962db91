import { defineConfig } from 'vitest/config';

const shared = {
  // The build machine has two cores and noisy neighbours; a claim that fails there is asked once more, and the second
  // answer counts. On a developer's machine nothing is asked twice.
  retry: process.env.CI ? 1 : 0,
  globalSetup: ['server/test/support/cluster.ts'],
  testTimeout: 30_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: 'fast',
          include: ['server/test/**/*.test.ts'],
          exclude: ['**/*.system.test.ts', '**/*.faults.test.ts'],
        },
      },
      { test: { ...shared, name: 'faults', include: ['server/test/faults/**/*.faults.test.ts'] } },
      { test: { ...shared, name: 'system', include: ['server/test/**/*.system.test.ts'] } },
    ],
  },
});
