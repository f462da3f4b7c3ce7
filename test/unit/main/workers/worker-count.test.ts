import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadConfig } from '../../../../config/load.ts';
import type { Config } from '../../../../config/schema.ts';
import { type Machine, thisMachine, workerCount } from '../../../../src/main/workers/worker-count.ts';

const root = mkdtempSync(join(tmpdir(), 'cgroup-'));
afterAll(() => rmSync(root, { recursive: true }));

function cgroup(name: string, files: Readonly<Record<string, string>>): string {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name, file)), { recursive: true });
    writeFileSync(join(root, name, file), text);
  }
  return join(root, name);
}

const azure = { main: { kind: 'azure' } } as unknown as Config['backends'];
const GIB = 1024 ** 3;
const large: Machine = { platform: 'linux', cores: 8, memory: 64 * GIB };

test('a number is that number', () => {
  expect(workerCount({ workers: 7, backends: azure }, { ...large, cores: 1 })).toBe(7);
});

test.each<[string, Partial<Machine>, number]>([
  ['as many as there are cores', {}, 8],
  ['as many as there is memory for', { memory: GIB }, 3],
  ["the chart's pod", { memory: 384 * 1024 ** 2 }, 1],
  ['twice 256 MiB and the supervisor', { memory: 576 * 1024 ** 2 }, 2],
  ['one at least', { memory: 64 * 1024 ** 2 }, 1],
  ['one where a port cannot be shared', { platform: 'darwin' }, 1],
])('auto: %s', (_name, machine, expected) => {
  expect(workerCount({ workers: 'auto', backends: azure }, { ...large, ...machine })).toBe(expected);
});

test.each(['azurite', 'gcs-double', 'memory'])('auto: one with a backend of kind %s', (kind) => {
  const backends = { ...azure, own: { kind } } as unknown as Config['backends'];
  expect(workerCount({ workers: 'auto', backends }, large)).toBe(1);
});

test('auto is the default', () => {
  const file = resolve(import.meta.dirname, '../../../../config/default.yaml');
  expect(loadConfig(file, {}).config.workers).toBe('auto');
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
])('cores: %s', (name, files, expected) => {
  expect(thisMachine(cgroup(name, files)).cores).toBe(expected);
});
