import { describe, expect, test } from 'vitest';
import { type ProofReport, isAsAssumed, markdownOf, redacted } from '../../../../src/main/prove/report.ts';

const GOOD: ProofReport = {
  ...{ date: '2026-11-28T00:00:00Z', version: '1.2.3', node: '24', platform: 'linux x64', kind: 'azure' },
  ...{ credential: 'accountKey', stopped: undefined },
  preflight: [{ level: 'ok', check: 'clock', detail: 'the service has the same time' }],
  assumptions: [{ id: 'A1', tries: 'x | y', expected: ['404'], otherwise: 'z', verdict: 'assumed', seen: '404' }],
  acceptance: [{ step: 'CreateBucket', verdict: 'as on S3', milliseconds: 3 }],
  figures: [{ what: 'a write', count: 2, unit: 'ms', median: 1.5, p90: 2 }],
  containers: { found: 0, removed: 3, left: 0, problems: [] },
};

describe('a report', () => {
  test('is good only where nothing is different, nothing failed and nothing is left', () => {
    expect(isAsAssumed(GOOD)).toBe(true);
    const [assumption] = GOOD.assumptions;
    if (assumption === undefined) throw new Error('none');
    const worse: readonly Partial<ProofReport>[] = [
      { assumptions: [{ ...assumption, verdict: 'different' }] },
      { acceptance: [{ step: 'CreateBucket', verdict: 'different', seen: '500' }] },
      { acceptance: [{ step: 'CreateBucket', verdict: 'not reached' }] },
      { preflight: [{ level: 'fail', check: 'clock', detail: 'wrong' }] },
      { containers: { found: 0, removed: 2, left: 1, problems: ['prove-01234567-own: it is busy'] } },
    ];
    for (const change of worse) expect(isAsAssumed({ ...GOOD, ...change })).toBe(false);
    const silent = { ...GOOD, containers: { found: 0, removed: 0, left: undefined, problems: ['no answer'] } };
    expect(isAsAssumed(silent)).toBe(false);
    expect(markdownOf(silent)).toMatch(/an unknown number left.*\n\* Not removed: no answer\./);
  });

  test('gives no name away, in whatever it is hidden, and leaves other words whole', () => {
    const names = ['prod', 'prod.blob.core.windows.net', 'https://prod.blob.core.windows.net', 'a+b'];
    const told = {
      at: ['https://prod.blob.core.windows.net/c?sig=abcdefghijkl', 'reproduced', 'Prod', 'a+b x prod/y'],
    };
    expect(redacted(told, names)).toEqual({
      at: [expect.not.stringMatching(/prod|abcdefghijkl/), 'reproduced', 'Prod', '(name) x (name)/y'],
    });
    expect(redacted({ count: 3, none: undefined }, [])).toEqual({ count: 3 });
  });

  test('is a table in Markdown, whose cells keep their bars', () => {
    const text = markdownOf(GOOD);
    expect(text).toContain('| A1 | x \\| y | assumed | 404 |');
    expect(text).not.toContain('## Different');
    expect(text).toContain('3 containers removed, 0 left');
  });
});
