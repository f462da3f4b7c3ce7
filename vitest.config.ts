import { configDefaults, defineConfig } from 'vitest/config';
import type { TestProjectInlineConfiguration } from 'vitest/config';

type ProjectSettings = NonNullable<TestProjectInlineConfiguration['test']>;

/** Real sockets and child processes: a process of its own per file keeps leaks and crashes apart. */
const APART = {
  pool: 'forks',
  hookTimeout: 60_000,
  setupFiles: ['test/support/property-seed.ts'],
} satisfies ProjectSettings;

/**
 * Unit tests share two threads and what these have loaded: starting a process and loading the sources for each of
 * 170 files took three times as long as the tests. A test that leaves something behind breaks its neighbours.
 */
const TOGETHER = { ...APART, pool: 'threads', isolate: false } satisfies ProjectSettings;

/** The tests of some folders of `test/`; `npm run test:<name>` runs them, `npm test` runs all. */
function project(name: string, folders: string[], settings: ProjectSettings = {}): TestProjectInlineConfiguration {
  const include = folders.map((folder) => `test/${folder}/**/*.test.ts`);
  const how = name === 'unit' ? TOGETHER : APART;
  return { test: { ...how, testTimeout: 20_000, ...settings, name, include, exclude: configDefaults.exclude } };
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      project('unit', ['unit']),
      project('contract', ['store']),
      project('wire', ['wire']),
      project('faults', ['faults']),
      project('model', ['model', 'fuzz']),
      project('process', ['process', 'killers']),
      project('chart', ['helm', 'image']),
      // Real clients against the test bed: two gateway processes over one Azurite, http and https.
      project('acceptance', ['acceptance'], {
        testTimeout: 60_000,
        globalSetup: ['test/acceptance/support/global-setup.ts'],
      }),
      // The inspector's page in a real browser, which is not quick beside everything else on two cores.
      project('browser', ['browser'], {
        testTimeout: 60_000,
        globalSetup: ['test/browser/support/global-setup.ts'],
        expect: { poll: { timeout: 15_000 } },
      }),
    ],
  },
});
