import { execFileSync } from 'node:child_process';
import type * as V8 from 'node:v8';
import { setFlagsFromString } from 'node:v8';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  ALLOCATOR,
  boundHeapGrowth,
  collectYoungAlone,
  nodeFlags,
  restart,
} from '../../../../src/main/workers/node-flags.ts';

vi.mock('node:v8', async (original) => ({
  ...(await original<typeof V8>()),
  setFlagsFromString: vi.fn<(flag: string) => void>(),
}));

const MIB = 1024 * 1024;

describe('flags of Node for a memory limit', () => {
  test.each<[string, number | undefined, number, string[]]>([
    ['none', undefined, 1, ['--max-semi-space-size=16']],
    ['none, several workers', undefined, 4, ['--max-semi-space-size=16']],
    ['384 MiB', 384 * MIB, 1, ['--max-old-space-size=192', '--max-semi-space-size=16']],
    ['384 MiB, two workers', 384 * MIB, 2, ['--max-old-space-size=80', '--max-semi-space-size=8']],
    ['2 GiB, four workers', 2048 * MIB, 4, ['--max-old-space-size=248', '--max-semi-space-size=16']],
    ['far too little', 64 * MIB, 1, ['--max-old-space-size=64', '--max-semi-space-size=4']],
    ['a whole large machine', 65_536 * MIB, 1, ['--max-old-space-size=4096', '--max-semi-space-size=16']],
  ])('%s', (_name, limit, workers, flags) => {
    expect(nodeFlags(limit, workers)).toEqual(flags);
  });
});

describe('a start over', () => {
  const fitting = ['--max-old-space-size=192', '--max-semi-space-size=16'];
  const limit = 384 * MIB;

  test('sets the allocator where nothing limits memory, and leaves the heap to V8', () => {
    expect(restart({ limit: undefined, flags: ['--cpu-prof'], environment: { HOME: '/' } })).toEqual({
      flags: ['--cpu-prof'],
      environment: { ...ALLOCATOR, HOME: '/' },
    });
  });

  test('fits the heap to a limit', () => {
    expect(restart({ limit, flags: [], environment: {} })).toEqual({ flags: fitting, environment: ALLOCATOR });
  });

  test.each([undefined, limit])('is not made a second time (limit %s)', (of) => {
    const first = restart({ limit: of, flags: [], environment: {} });
    expect(restart({ limit: of, flags: [], environment: {}, ...first })).toBeUndefined();
  });

  test('leaves what somebody has chosen', () => {
    const own = { MALLOC_ARENA_MAX: '8', NODE_OPTIONS: '--no-warnings --max-old-space-size=100' };
    expect(restart({ limit, flags: [], environment: own })).toEqual({
      flags: [],
      environment: { ...ALLOCATOR, ...own },
    });
    expect(restart({ limit, flags: ['--max-heap-size=99'], environment: ALLOCATOR })).toBeUndefined();
  });
});

describe('flags of V8 for a process that runs already', () => {
  const execArgv = process.execArgv;

  afterEach(() => {
    process.execArgv = execArgv;
    vi.unstubAllEnvs();
    vi.mocked(setFlagsFromString).mockClear();
  });

  const flags: [string, () => void, string, string[]][] = [
    [
      'growth of the old space',
      boundHeapGrowth,
      '--heap-growing-percent=50',
      ['--heap-growing-percent=20', '--heap_growing_percent=20'],
    ],
    [
      'threads that collect the young space',
      collectYoungAlone,
      '--no-parallel-scavenge',
      ['--parallel-scavenge', '--no-parallel-scavenge', '--noparallel_scavenge'],
    ],
  ];

  test.each(flags)('%s', (_name, set, flag) => {
    process.execArgv = ['--max-semi-space-size=16'];
    vi.stubEnv('NODE_OPTIONS', '--no-warnings');
    set();
    expect(vi.mocked(setFlagsFromString).mock.calls).toEqual([[flag]]);
  });

  test.each(flags)('%s: what somebody has chosen stays', (_name, set, _flag, chosen) => {
    for (const own of chosen) {
      process.execArgv = [own];
      vi.stubEnv('NODE_OPTIONS', '');
      set();
      process.execArgv = [];
      vi.stubEnv('NODE_OPTIONS', `--no-warnings ${own}`);
      set();
    }
    expect(setFlagsFromString).not.toHaveBeenCalled();
  });

  test('V8 knows both', () => {
    const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
    for (const name of ['heap-growing-percent', 'parallel-scavenge']) expect(known).toContain(`  --${name} (`);
  });
});
