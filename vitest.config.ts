import { defineConfig } from 'vitest/config';

// Real sockets and child processes: a process of its own per file keeps leaks and crashes apart.
const shared = { pool: 'forks', hookTimeout: 60_000, setupFiles: ['test/support/property-seed.ts'] };

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/bench/**', 'test/acceptance/**', 'test/browser/**', 'test/k8s/**', 'node_modules/**'],
          testTimeout: 20_000,
        },
      },
      {
        // Real clients against the test bed: two gateway processes over one Azurite, http and https.
        test: {
          ...shared,
          name: 'acceptance',
          include: ['test/acceptance/**/*.test.ts'],
          globalSetup: ['test/acceptance/support/global-setup.ts'],
          testTimeout: 60_000,
        },
      },
      {
        // The inspector's page in a real browser.
        test: {
          ...shared,
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/support/global-setup.ts'],
          testTimeout: 60_000,
          // A browser beside everything else on two cores is not quick.
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
});
