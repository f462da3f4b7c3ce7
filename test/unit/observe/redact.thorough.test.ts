import { describe, expect, test } from 'vitest';
import { redactHeader, redactTarget, redactText } from '../../../src/observe/redact.ts';
import '../../support/property-seed.ts';

/**
 * What a pattern begins, goes on or ends with: repeated, each alone and beside each other, they are what a pattern
 * could be tried on in vain.
 */
const PIECES = [
  'a=token="\\\\\\',
  '-eyJaaa',
  '-eyJaaaaaaaa',
  'eyJaaaaaaaa.',
  '%',
  '%25',
  '%ff',
  '-key',
  'sig=',
  '"sig":"',
  '-----BEGIN PRIVATE KEY',
  '-----BEGIN ',
  '-----END ',
  'AWS a:',
  'AWS ',
  '://a:',
  'authorization:\n',
  'cookie  ',
  'token"  ',
  'token"',
  "token'",
  'token\\',
  '\\"sig\\":',
  '\\',
  '"',
  ' ',
  '<1',
  "signature '",
  'ya29.',
  '.',
  '-',
  'token',
  '%26sig%3d',
  '=',
  '&sig=a',
  'Bearer ',
  'encryption-key',
  ',',
];
const FULL = 65_536;
/** Milliseconds below which a clock says nothing. */
const FLOOR = 8;
/** Time that grows with the square is four times as long each time that it is measured; a busy neighbour is not. */
const ATTEMPTS = 6;

function cost(work: (text: string) => unknown, text: string): number {
  const began = process.threadCpuUsage();
  work(text);
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1000;
}

function least(work: (text: string) => unknown, text: string): number {
  return Math.min(...Array.from({ length: 5 }, () => cost(work, text)));
}

describe('64 KB of hostile text take time linear in them', () => {
  const repeated = (piece: string, length: number): string =>
    piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  const grows = (work: (text: string) => unknown, text: (length: number) => string): void => {
    const [full, half] = [text(FULL), text(FULL / 2)];
    if (cost(work, full) <= FLOOR) return;
    const isLinear = Array.from({ length: ATTEMPTS }).some(() => least(work, full) < 2.5 * least(work, half) + FLOOR);
    expect(isLinear, JSON.stringify(text(60))).toBe(true);
  };
  const WORKS: Readonly<Record<string, (text: string) => unknown>> = {
    'free text': (text) => redactText(text, Infinity),
    'a query': (text) => redactTarget(`/b?${text}`, Infinity),
    'an authorization': (text) => redactHeader('authorization', `AWS4-HMAC-SHA256 ${text}`, Infinity),
  };

  test.each(Object.entries(WORKS))(
    '%s',
    (_, work) => {
      for (const piece of PIECES) grows(work, (length) => repeated(piece, length));
      for (const piece of PIECES) grows(work, (length) => `a=token="${repeated(piece, length)}`);
      for (const piece of PIECES) grows(work, (length) => `a=token="${repeated(piece, length)}"`);
      for (const piece of PIECES) grows(work, (length) => `a=token=\\"${repeated(piece, length)}`);
      for (const [index, piece] of PIECES.entries()) {
        grows(work, (length) => repeated(piece + (PIECES[(index * 7 + 3) % PIECES.length] ?? ''), length));
        grows(
          work,
          (length) =>
            repeated(piece, length / 2) + repeated(PIECES[(index * 11 + 5) % PIECES.length] ?? '', length / 2),
        );
      }
    },
    60_000,
  );
});
