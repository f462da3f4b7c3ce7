import { describe, expect, it } from 'vitest';
import type { RequestSummary } from '../../../../src/admin/inspector/contract.ts';
import { lostLine, replicaLine, requestLine } from '../../../../src/main/trace/trace-lines.ts';

const REQUEST: RequestSummary = {
  id: '0123456789ABCDEF',
  traceId: '0'.repeat(32),
  replica: 'north',
  href: '',
  arrived: Date.UTC(2026, 10, 21, 12, 34, 56, 789),
  outcome: 'clientError',
  method: 'GET',
  target: '/bucket/key',
  operation: 'GetObject',
  bucket: 'bucket',
  key: 'key',
  identity: 'main',
  status: 403,
  code: 'AccessDenied',
  durationMs: 3.21,
  bytesIn: 500,
  bytesOut: 2048,
  backendCalls: 1,
  slow: false,
};
const PLAIN = { colours: false, nameReplica: false };

describe('a request in one line', () => {
  it('says when, what came of it, what it was, how long it took, on what and for whom', () => {
    expect(requestLine(REQUEST, PLAIN)).toBe(
      '12:34:56.789  403   GetObject                   3.2 ms     1 call      2.0K  bucket/key  main  AccessDenied  0123456789ABCDEF',
    );
    expect(requestLine(REQUEST, { ...PLAIN, nameReplica: true })).toMatch(/0123456789ABCDEF north$/);
  });

  it('does without what is not known', () => {
    const { operation: _o, bucket: _b, key: _k, identity: _i, status: _s, code: _c, ...rest } = REQUEST;
    expect(requestLine({ ...rest, outcome: 'aborted', durationMs: 12_345 }, PLAIN)).toMatch(
      /gone {2}GET .* 12\.3 s .*\/bucket\/key {2}anonymous/,
    );
  });

  it('lets nobody write on the terminal but us', () => {
    const key = '\u001b[31mred\u001b]0;title\u0007\r\n\u202e';
    for (const colours of [true, false]) {
      const line = requestLine(
        { ...REQUEST, key, identity: key, code: key, replica: key },
        { colours, nameReplica: true },
      );
      const others = ['0', '2', '33'].reduce((text, colour) => text.replaceAll(`\u001b[${colour}m`, ''), line);
      expect(others).not.toMatch(/\p{C}/u);
      expect(line).toContain('bucket/\\u{1b}[31mred');
    }
  });
});

describe('other events', () => {
  it('are told in a line each', () => {
    expect(replicaLine({ id: 'south', own: false, up: false, reason: 'ECONNREFUSED' })).toBe(
      '-- replica south is not reached: ECONNREFUSED',
    );
    expect(replicaLine({ id: 'south', own: false, up: true })).toBe('-- replica south is there');
    expect(replicaLine({ id: 'north', own: true, up: true })).toBeUndefined();
    expect(lostLine({ replica: 'north', count: 7 })).toMatch(/7 events were lost/);
  });
});
