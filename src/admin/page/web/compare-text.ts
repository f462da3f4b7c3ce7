import { codePoints, describeCharacter } from './visible-text.ts';

/** What the server computed beside what a person pasted, line by line. */
export interface Comparison {
  readonly equal: boolean;
  readonly rows: readonly ComparedRow[];
  readonly first?: FirstDifference;
}

/** `at`: number of characters (code points) that a changed pair of lines has in common at its start. */
export type ComparedRow =
  | { readonly kind: 'same'; readonly server: string; readonly pasted: string }
  | { readonly kind: 'changed'; readonly server: string; readonly pasted: string; readonly at: number }
  | { readonly kind: 'server'; readonly server: string }
  | { readonly kind: 'pasted'; readonly pasted: string };

export interface FirstDifference {
  /** Of the UTF-8 form of both texts, from 0. */
  readonly byte: number;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** What stands there on either side, in words. */
  readonly server: string;
  readonly pasted: string;
}

/** Beyond this many pairs of lines they are paired by number only. */
const MOST_PAIRS = 1_000_000;

export function compareTexts(server: string, pasted: string): Comparison {
  const rows = pairLines(server.split('\n'), pasted.split('\n'));
  if (server === pasted) return { equal: true, rows };
  return { equal: false, rows, first: firstDifference(codePoints(server), codePoints(pasted)) };
}

function firstDifference(server: readonly string[], pasted: readonly string[]): FirstDifference {
  const at = commonStart(server, pasted);
  const before = server.slice(0, at).join('');
  return {
    byte: new TextEncoder().encode(before).length,
    line: before.split('\n').length,
    column: at - codePoints(before.slice(0, before.lastIndexOf('\n') + 1)).length + 1,
    server: describeCharacter(server[at]),
    pasted: describeCharacter(pasted[at]),
  };
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return at;
}

/** A longest common subsequence of lines stays together; what stands between is paired in order. */
function pairLines(server: readonly string[], pasted: readonly string[]): readonly ComparedRow[] {
  const rows: ComparedRow[] = [];
  let [s, p] = [0, 0];
  for (const [nextS, nextP] of [...commonLines(server, pasted), [server.length, pasted.length] as const]) {
    for (; s < nextS || p < nextP; s += s < nextS ? 1 : 0, p += p < nextP ? 1 : 0) {
      rows.push(rowOf(s < nextS ? server[s] : undefined, p < nextP ? pasted[p] : undefined));
    }
    const [line, same] = [server[nextS], pasted[nextP]];
    if (line !== undefined && same !== undefined) rows.push({ kind: 'same', server: line, pasted: same });
    [s, p] = [nextS + 1, nextP + 1];
  }
  return rows;
}

function rowOf(server: string | undefined, pasted: string | undefined): ComparedRow {
  if (server === undefined) return { kind: 'pasted', pasted: pasted ?? '' };
  if (pasted === undefined) return { kind: 'server', server };
  if (server === pasted) return { kind: 'same', server, pasted };
  return { kind: 'changed', server, pasted, at: commonStart(codePoints(server), codePoints(pasted)) };
}

/** Positions of equal lines, in order on both sides. */
function commonLines(server: readonly string[], pasted: readonly string[]): (readonly [number, number])[] {
  if (server.length * pasted.length > MOST_PAIRS) return [];
  const width = pasted.length + 1;
  const lengths = new Uint32Array((server.length + 1) * width);
  const at = (s: number, p: number): number => lengths[s * width + p] ?? 0;
  for (let s = server.length - 1; s >= 0; s -= 1) {
    for (let p = pasted.length - 1; p >= 0; p -= 1) {
      lengths[s * width + p] = server[s] === pasted[p] ? at(s + 1, p + 1) + 1 : Math.max(at(s + 1, p), at(s, p + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  let [s, p] = [0, 0];
  while (s < server.length && p < pasted.length) {
    if (server[s] === pasted[p]) {
      pairs.push([s, p]);
      s += 1;
      p += 1;
    } else if (at(s + 1, p) >= at(s, p + 1)) {
      s += 1;
    } else {
      p += 1;
    }
  }
  return pairs;
}
