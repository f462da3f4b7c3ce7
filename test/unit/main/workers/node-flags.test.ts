import { describe, expect, test } from 'vitest';
import { nodeFlags } from '../../../../src/main/workers/node-flags.ts';

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
