import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareTexts } from '../../../../src/admin/page/web/compare-text.ts';

describe("comparison of a pasted text with the server's", () => {
  it('finds equal texts equal', () => {
    const { equal, first, rows } = compareTexts('PUT\n/a\n', 'PUT\n/a\n');
    expect({ equal, first, kinds: rows.map(({ kind }) => kind) }).toEqual({
      equal: true,
      first: undefined,
      kinds: ['same', 'same', 'same'],
    });
  });

  it.each([
    [
      'a lost trailing space',
      'a: b ',
      'a: b',
      { byte: 4, line: 1, column: 5, server: 'space (20)', pasted: 'nothing: the text ends here' },
    ],
    ['a plus for a space', '/a%20b', '/a+b', { byte: 2, line: 1, column: 3, server: '“%” (25)', pasted: '“+” (2B)' }],
    [
      'a carriage return',
      'PUT\n/',
      'PUT\r\n/',
      { byte: 3, line: 1, column: 4, server: 'line feed (0A)', pasted: 'carriage return (0D)' },
    ],
    [
      'another line',
      'PUT\n/é\nx',
      'PUT\n/é\ny',
      { byte: 8, line: 3, column: 1, server: '“x” (78)', pasted: '“y” (79)' },
    ],
    ['bytes of one letter', 'é', 'e\u0301', { byte: 0, line: 1, column: 1, server: '“é” (C3 A9)', pasted: '“e” (65)' }],
    [
      'something of no width',
      'ab',
      'a\u200bb',
      { byte: 1, line: 1, column: 2, server: '“b” (62)', pasted: 'U+200B (E2 80 8B)' },
    ],
    ['beyond the basic plane', '😀a', '😀b', { byte: 4, line: 1, column: 2, server: '“a” (61)', pasted: '“b” (62)' }],
  ])('names the first difference: %s', (_, server, pasted, first) => {
    expect(compareTexts(server, pasted)).toMatchObject({ equal: false, first });
  });

  it('keeps equal lines together around one that is missing and one that was changed', () => {
    const server = 'host:h\nrange:bytes=0-1\nx-amz-date:d\nx-amz-meta-a:b';
    const pasted = 'host:h:80\nx-amz-date:d\nx-amz-meta-a:b\nx-amz-meta-c:d';
    expect(compareTexts(server, pasted).rows).toEqual([
      { kind: 'changed', server: 'host:h', pasted: 'host:h:80', at: 6 },
      { kind: 'server', server: 'range:bytes=0-1' },
      { kind: 'same', server: 'x-amz-date:d', pasted: 'x-amz-date:d' },
      { kind: 'same', server: 'x-amz-meta-a:b', pasted: 'x-amz-meta-a:b' },
      { kind: 'pasted', pasted: 'x-amz-meta-c:d' },
    ]);
  });

  it('loses no line of either text, and says equal of equal texts only', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'a ', '')).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (server, pasted) => {
        const { rows, equal, first } = compareTexts(server, pasted);
        const side = (name: 'server' | 'pasted'): string =>
          rows
            .flatMap((row) => (name in row ? [(row as unknown as Record<typeof name, string>)[name]] : []))
            .join('\n');
        expect(side('server')).toBe(server);
        expect(side('pasted')).toBe(pasted);
        expect(equal).toBe(server === pasted);
        expect(first === undefined).toBe(equal);
        expect(equal).toBe(rows.every(({ kind }) => kind === 'same'));
      }),
    );
  });

  it('pairs texts of very many lines by number', () => {
    const lines = Array.from({ length: 1500 }, (_, index) => String(index));
    const { rows } = compareTexts(lines.join('\n'), [...lines.slice(0, 700), 'other', ...lines.slice(701)].join('\n'));
    expect(rows.filter(({ kind }) => kind !== 'same')).toEqual([
      { kind: 'changed', server: '700', pasted: 'other', at: 0 },
    ]);
  });
});
