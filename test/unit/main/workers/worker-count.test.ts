import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { workerCount } from '../../../../src/main/workers/worker-count.ts';

const root = mkdtempSync(join(tmpdir(), 'cgroup-'));
afterAll(() => rmSync(root, { recursive: true }));

function cgroup(name: string, files: Readonly<Record<string, string>>): string {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name, file)), { recursive: true });
    writeFileSync(join(root, name, file), text);
  }
  return join(root, name);
}

test('a number is that number', () => {
  expect(workerCount(7, cgroup('any', { 'cpu.max': '100000 100000\n' }))).toBe(7);
});

test.each<[string, Record<string, string>, number]>([
  ['version 2, half a core', { 'cpu.max': '50000 100000\n' }, 1],
  ['version 2, one core', { 'cpu.max': '100000 100000\n' }, 1],
  ['version 2, no limit', { 'cpu.max': 'max 100000\n' }, availableParallelism()],
  ['version 2, more than there are', { 'cpu.max': '99900000 100000\n' }, availableParallelism()],
  ['version 1, one core and a half', { 'cpu/cpu.cfs_quota_us': '150000\n', 'cpu/cpu.cfs_period_us': '100000\n' }, 1],
  [
    'version 1, no limit',
    { 'cpu/cpu.cfs_quota_us': '-1\n', 'cpu/cpu.cfs_period_us': '100000\n' },
    availableParallelism(),
  ],
  ['no cgroups', {}, availableParallelism()],
])('auto: %s', (name, files, expected) => {
  expect(workerCount('auto', cgroup(name, files))).toBe(expected);
});
