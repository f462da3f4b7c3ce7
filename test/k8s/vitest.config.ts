import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

// Not part of `npm test`: the first run builds Kubernetes' programs, and each file starts a cluster.
export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '../..'),
    include: ['test/k8s/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 180_000,
    // Builds, when nothing is in the cache yet.
    hookTimeout: 60 * 60_000,
    teardownTimeout: 30_000,
  },
});
