import { defineConfig } from 'vitest/config';

const shared = {
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
