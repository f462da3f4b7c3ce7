import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, matchesGlob, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import config from '../../../vitest.config.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const UNIT = join(ROOT, 'test/unit');
/** Beside what mirrors a source, the tests of the house itself. */
const HOUSE = /^house(\/|$)/;

const testsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));

/** What a folder of unit tests mirrors: a folder of sources, or one crowded file. */
function isMirror(folder: string): boolean {
  const sources = /^(adapters|config)(\/|$)/.test(folder) ? folder : join('src', folder);
  return existsSync(join(ROOT, sources)) || existsSync(join(ROOT, `${sources}.ts`));
}

describe('unit tests', () => {
  it('mirror the sources', () => {
    const folders = new Set(testsIn(UNIT).map((file) => dirname(file)));
    expect([...folders].filter((folder) => !HOUSE.test(folder) && !isMirror(folder))).toEqual([]);
  });
});

describe('tests of every folder', () => {
  /** Built by Go on the first run: it has a configuration of its own. */
  const ELSEWHERE = ['k8s/'];
  const projects = (config.test?.projects ?? []) as {
    test: { name: string; include: string[]; exclude: string[] };
  }[];

  it('run with `npm test`, each in one project', () => {
    const files = testsIn(join(ROOT, 'test')).filter((file) => !ELSEWHERE.some((folder) => file.startsWith(folder)));
    const running = (file: string): string[] =>
      projects
        .filter(({ test: { include, exclude } }) => {
          const isOf = (patterns: readonly string[]) => patterns.some((one) => matchesGlob(`test/${file}`, one));
          return isOf(include) && !isOf(exclude);
        })
        .map(({ test }) => test.name);
    expect(files.map((file) => [file, running(file)]).filter(([, names]) => names?.length !== 1)).toEqual([]);
    expect(files.length).toBeGreaterThan(400);
  });

  it('have a script each', async () => {
    const { default: manifest } = await import('../../../package.json', { with: { type: 'json' } });
    const scripts: Record<string, string> = manifest.scripts;
    expect(projects.map(({ test }) => scripts[`test:${test.name}`])).toEqual(
      projects.map(({ test }) => `vitest run --project ${test.name}`),
    );
  });
});
