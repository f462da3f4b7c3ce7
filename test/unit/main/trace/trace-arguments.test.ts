import { describe, expect, it } from 'vitest';
import { parseTraceArguments } from '../../../../src/main/trace/trace-arguments.ts';
import { StartError } from '../../../../src/main/start-error.ts';

function queryOf(...argv: string[]): Record<string, string> {
  return Object.fromEntries(parseTraceArguments(argv, {})?.query ?? []);
}

describe('the command line of the terminal view', () => {
  it('has the filters of the inspector', () => {
    expect(queryOf()).toEqual({ scope: 'all', recent: '20' });
    expect(
      queryOf(
        '--errors',
        '-b',
        'b',
        '--prefix',
        'a/',
        '--status',
        '5xx',
        '--request-id',
        'R',
        '--recent',
        '5',
        '--own',
      ),
    ).toEqual({
      scope: 'own',
      recent: '5',
      errors: 'true',
      bucket: 'b',
      prefix: 'a/',
      status: '5xx',
      requestId: 'R',
    });
    expect([queryOf('--slow')['slow'], queryOf('--slow=250')['slow']]).toEqual(['true', '250']);
  });

  it('knows where the admin port is, and its token, from the environment, too', () => {
    expect(parseTraceArguments([], {})).toMatchObject({ url: 'http://127.0.0.1:9001', token: undefined });
    const environment = { GATEWAY_ADMIN_URL: 'http://gateway:9001/', GATEWAY_ADMIN_TOKEN: 'secret' };
    expect(parseTraceArguments([], environment)).toMatchObject({ url: 'http://gateway:9001', token: 'secret' });
    expect(parseTraceArguments(['--url', 'https://other'], environment)).toMatchObject({ url: 'https://other' });
  });

  it.each([['--url', 'gateway:9001'], ['--token-file', '/nowhere/token'], ['--colour'], ['extra']])(
    'refuses %s %s',
    (...argv) => {
      expect(() => parseTraceArguments(argv, {})).toThrow(StartError);
    },
  );

  it('helps', () => {
    expect(parseTraceArguments(['--help', '--errors'], {})).toBeUndefined();
  });
});
