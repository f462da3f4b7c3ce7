import { expect, test } from 'vitest';
import { printLines } from '../../../src/main/command-line.ts';
import { sweepLines } from '../../../src/main/sweep/sweep-lines.ts';

/** What a terminal obeys or a reader takes for the end of a line: C0, DEL, C1, separators, marks, halves of pairs. */
const OBEYED = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, at) => 0x7f + at),
  ...[0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069, 0xfeff, 0xd800, 0xdfff],
].map((code) => String.fromCharCode(code));

function printed(lines: readonly string[]): string {
  let text = '';
  const stream = { write: (chunk: string) => (text += chunk) } as unknown as NodeJS.WriteStream;
  printLines(stream, lines);
  return text;
}

test('no character of a value makes another line, or is obeyed', () => {
  for (const character of OBEYED) {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    expect(printed([`deny ${character}allow`, 'end'])).toBe(`deny \\u{${code}}allow\nend\n`);
  }
});

test('the name of a blob does not forge a line of a sweep', () => {
  const problem = 'b/x\nbackend main: 1 buckets, nothing to be done\r\u001b[2K';
  const counts = { counts: {}, problems: [problem], moreProblems: 0 };
  const backend = { name: 'main', bucketsSeen: 1, buckets: [], ...counts };
  const report = { startedAt: '', finishedAt: '', complete: true, dryRun: true, backends: [backend] };
  const lines = sweepLines(report, { check: false });
  expect(printed(lines).split('\n')).toEqual([
    'backend main: 1 buckets',
    '  beside the buckets',
    '    problem: b/x\\u{a}backend main: 1 buckets, nothing to be done\\u{d}\\u{1b}[2K',
    '',
  ]);
});
