import { describe, expect, test } from 'vitest';
import { parseProveArguments } from '../../../../src/main/prove/prove-arguments.ts';
import { StartError } from '../../../../src/main/start-error.ts';

describe('the command line of prove', () => {
  test('has defaults', () => {
    expect(parseProveArguments(['--config', 'a.yaml'], {})).toEqual({
      ...{ config: 'a.yaml', backend: undefined, report: undefined, json: false },
      ...{ forMs: 20 * 60_000, calls: 20 },
    });
    expect(parseProveArguments(['--for', '90s', '--calls', '0'], { S3GW_CONFIG: 'b.yaml' })).toMatchObject({
      ...{ config: 'b.yaml', forMs: 90_000, calls: 0 },
    });
    expect(parseProveArguments(['--help'], {})).toBeUndefined();
  });

  test.each([
    [['--for', 'soon']],
    [['--for', '0m']],
    [['--calls', 'many']],
    [['--calls', '-1']],
    [['--unknown']],
    [['surplus']],
  ])('%j is refused', (options) => {
    expect(() => parseProveArguments(['--config', 'a.yaml', ...options], {})).toThrow(StartError);
  });

  test('needs a configuration', () => {
    expect(() => parseProveArguments([], {})).toThrow(/--config: expected/);
  });
});
