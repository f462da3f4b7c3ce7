import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import type { TestProjectInlineConfiguration } from 'vitest/config';

type ProjectSettings = NonNullable<TestProjectInlineConfiguration['test']>;

/**
 * Real sockets and child processes: a process of its own per file keeps leaks and crashes apart. Limits of time end
 * what hangs, and are for a machine on which ten others work.
 */
const APART = {
  pool: 'forks',
  hookTimeout: 120_000,
  // Vitest's own is a second. `vi.waitFor` has no such setting: poll.
  expect: { poll: { timeout: 30_000 } },
  setupFiles: ['test/support/property-seed.ts', 'test/support/real-time.ts'],
} satisfies ProjectSettings;

/**
 * Unit tests share two threads and what these have loaded: starting a process and loading the sources for each file
 * took three times as long as the tests. A test that leaves something behind breaks its neighbours.
 */
const TOGETHER = { ...APART, pool: 'threads', isolate: false } satisfies ProjectSettings;

/**
 * Unit tests that measure time or memory, or go through thousands of cases: they stand beside those of the same
 * subject, and are left out where somebody waits for the answer.
 */
const THOROUGH = 'test/unit/**/*.thorough.test.ts';

/** The tests of some folders of `test/`; `npm run test:<name>` runs them, `npm test` runs all. */
function project(name: string, folders: string[], settings: ProjectSettings = {}): TestProjectInlineConfiguration {
  const include = folders.map((folder) => `test/${folder}/**/*.test.ts`);
  const { exclude } = configDefaults;
  return { test: { ...APART, testTimeout: 60_000, include, exclude, ...settings, name } };
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    // What Node compiles for one process that a test starts serves the next: gateways keep it there, emulators should.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
    projects: [
      project('unit', ['unit'], { ...TOGETHER, exclude: [...configDefaults.exclude, THOROUGH] }),
      project('thorough', [], { include: [THOROUGH], testTimeout: 180_000 }),
      project('contract', ['store']),
      // Their gateways listen on ports of their own and end with the file.
      project('wire', ['wire'], { isolate: false }),
      project('faults', ['faults']),
      project('model', ['model', 'fuzz']),
      project('process', ['process', 'killers'], { testTimeout: 180_000 }),
      project('chart', ['helm', 'image'], { testTimeout: 180_000 }),
      // Real clients against the test bed: two gateway processes over one Azurite, http and https.
      project('acceptance', ['acceptance'], {
        testTimeout: 180_000,
        globalSetup: ['test/acceptance/support/global-setup.ts'],
      }),
      // The inspector's page in a real browser, which is not quick beside everything else on two cores.
      project('browser', ['browser'], {
        testTimeout: 180_000,
        globalSetup: ['test/browser/support/global-setup.ts'],
      }),
    ],
  },
});
