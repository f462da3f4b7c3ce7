import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
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
  const ELSEWHERE = ['k8s'];
  const projects = (config.test?.projects ?? []) as { test: { name: string; include: string[] } }[];

  it('run with `npm test`, each in one project', () => {
    const folders = readdirSync(join(ROOT, 'test'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && testsIn(join(ROOT, 'test', entry.name)).length > 0)
      .map((entry) => entry.name)
      .filter((name) => !ELSEWHERE.includes(name));
    const run = projects.flatMap(({ test }) => test.include.map((pattern) => basename(dirname(dirname(pattern)))));
    expect(run.toSorted()).toEqual(folders.toSorted());
  });

  it('have a script each', async () => {
    const { default: manifest } = await import('../../../package.json', { with: { type: 'json' } });
    const scripts: Record<string, string> = manifest.scripts;
    expect(projects.map(({ test }) => scripts[`test:${test.name}`])).toEqual(
      projects.map(({ test }) => `vitest run --project ${test.name}`),
    );
  });
});
