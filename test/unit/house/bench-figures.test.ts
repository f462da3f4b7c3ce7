import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verdicts } from '../../bench/measuring/goals.ts';
import { withFigures, withSection } from '../../bench/measuring/markdown.ts';
import type { Measured } from '../../bench/measuring/measure.ts';
import { behindPeers } from '../../bench/measuring/report.ts';
import { summaryOf } from '../../bench/measuring/profile-summary.ts';

const REACHED = {
  ratio: 0.64,
  connections: 4,
  gateway: { rate: 500, p99: 30, peak: 300, backendCalls: 1.27 },
  bare: { p99: 10 },
};

describe('goals of the bench', () => {
  it.each([
    ['a ratio below', { ratio: 0.65 }, [false]],
    ['a ratio reached', { ratio: 0.64 }, [true]],
    ['p99 in times of the proxy', { p99Times: 2 }, [false]],
    ['p99 just within', { p99Times: 3 }, [true]],
    ['p99 in times of the mean', { p99OfMean: 3.7 }, [false]],
    ['p99 of the mean just within', { p99OfMean: 3.75 }, [true]],
    ['memory', { peakMebibytes: 299 }, [false]],
    ['calls but for the record of the bucket', { calls: 1 }, [true]],
    ['several things', { ratio: 0.5, calls: 0 }, [true, false]],
    ['nothing', {}, []],
  ])('%s', (_name, goal, expected) => {
    expect(verdicts(goal, REACHED).map(({ isMet }) => isMet)).toEqual(expected);
  });
});

describe('the figures of a page', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/benchmark-figures.md'), 'utf8');

  it('are replaced between their marks, and nothing else is', () => {
    const once = withFigures(docs, 'first\n');
    expect(once).toContain('\nfirst\n');
    expect(withFigures(once, 'second\n')).toBe(once.replace('\nfirst\n', '\nsecond\n'));
    expect(withFigures(withFigures(docs, 'other'), 'first\n')).toBe(once);
  });

  it('are replaced section by section', () => {
    const page = withFigures(docs, 'machine\n\n### One\n\n1\n\n### Two\n\n2\n');
    expect(withSection(page, '### One\n\none\n')).toBe(page.replace('\n1\n', '\none\n'));
    expect(withSection(page, '### Two\n\ntwo\n')).toBe(page.replace('\n2\n', '\ntwo\n'));
    expect(withSection(page, '### Three\n\n3\n')).toBe(page.replace('\n2\n', '\n2\n\n### Three\n\n3\n'));
  });

  it('have no place in a page without marks', () => {
    expect(() => withFigures('# A page\n', 'first')).toThrow('no place');
    expect(() => withSection('# A page\n', '### One\n')).toThrow('no place');
  });
});

describe('rows in which a peer is ahead', () => {
  const peer = (name: string, ratio: number): object => ({ name, ratio, rate: 1, cpu: 1, p99: 1, peak: 1 });
  const row = (...peers: object[]): Measured => ({ name: 'put', peers }) as unknown as Measured;

  it('are told against the gateway on all cores', () => {
    const rows = [
      row(peer('all-cores', 1.2), peer('other', 1.3), { name: 'third', error: 'refused' }),
      row(peer('all-cores', 1.2), peer('other', 1.1)),
      row(peer('other', 2)),
    ];
    expect(behindPeers(rows)).toEqual(['put: other 1.30, on all cores 1.20']);
  });
});

describe('the summary of a profile', () => {
  const frame = (functionName: string, url = '', lineNumber = -1): object => ({ functionName, url, lineNumber });
  const nodes = [
    { id: 1, callFrame: frame('(idle)') },
    { id: 2, callFrame: frame('(garbage collector)') },
    { id: 3, callFrame: frame('', 'file:///checkout/src/auth/verify.ts', 4) },
    { id: 4, callFrame: frame('push', 'file:///checkout/node_modules/@x/y/z.js', 0) },
    { id: 5, callFrame: frame('writev') },
    { id: 6, callFrame: frame('read', 'node:internal/streams/readable', 9) },
  ] as unknown as Parameters<typeof summaryOf>[0]['nodes'];

  it('is of the time in which the thread was busy, by folder and by function', () => {
    const found = summaryOf(
      { nodes, samples: [1, 2, 3, 3, 4, 5, 6], timeDeltas: [50, 10, 10, 10, 5, 10, 5] },
      '/checkout',
    );
    expect(found.busy).toBe(0.5);
    expect(found.folders).toEqual([
      { name: 'src/auth', share: 0.4 },
      { name: 'garbage collection', share: 0.2 },
      { name: 'system calls and native code', share: 0.2 },
      { name: 'node_modules/@x/y', share: 0.1 },
      { name: 'Node', share: 0.1 },
    ]);
    expect(found.functions.map(({ name }) => name)).toEqual([
      '(anonymous), src/auth/verify.ts:5',
      'garbage collection',
      'writev, native',
      'push, node_modules/@x/y/z.js:1',
      'read, node:internal/streams/readable:10',
    ]);
  });

  it('of nothing is empty', () => {
    expect(summaryOf({ nodes: [] }, '/checkout')).toEqual({ busy: 0, folders: [], functions: [] });
  });
});
