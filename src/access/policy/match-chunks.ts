import type { ConditionKeys } from './context.ts';

/** The part between two `*`: pieces of text, with one `?` between each two of them. */
export type Chunk = readonly string[];

/** Characters of a piece that one step holds against a value. */
const COMPARED = 4;
/** Characters that one step passes over to find where a text could begin, or counts. */
const SEEN = 32;
const COUNTED = 8;
/** Steps to begin a search, and for each place that it tries. */
const SEARCH = 3;
const TRIED = 1;
/** Steps to begin to hold one piece against a value. */
const PIECE = 2;

/**
 * The first chunk stands at the start, the last at the end, those between at the first place where they fit: no place
 * is tried twice.
 */
export function matchChunks(chunks: readonly Chunk[], value: string, keys: ConditionKeys): boolean {
  keys.spend?.(chunks.length);
  const [first = [''], ...others] = chunks;
  const last = others.pop();
  let at = endOf(first, value, { start: 0, keys });
  if (last === undefined) return at === value.length;
  for (const chunk of others) {
    if (at < 0) return false;
    at = find(chunk, value, { start: at, keys });
  }
  return at >= 0 && standsAtEnd(last, value, { start: at, keys });
}

interface Place {
  readonly start: number;
  /** Counts the work. */
  readonly keys: ConditionKeys;
}

/** Where a chunk that begins here ends; -1: it does not stand here. */
function endOf(chunk: Chunk, value: string, { start, keys }: Place): number {
  const [head = ''] = chunk;
  keys.spend?.(PIECE + head.length / COMPARED);
  return standsAt(head, value, start) ? endBehind(chunk, value, { start: start + head.length, keys }) : -1;
}

/** Where a chunk ends whose first piece ends here; -1: the others do not follow. */
function endBehind(chunk: Chunk, value: string, { start, keys }: Place): number {
  let at = start;
  let steps = 0;
  for (let place = 1; place < chunk.length && at >= 0; place += 1) {
    const piece = chunk[place] ?? '';
    steps += PIECE + piece.length / COMPARED;
    const code = value.codePointAt(at);
    const behind = at + (code !== undefined && code > 0xffff ? 2 : 1);
    at = code !== undefined && standsAt(piece, value, behind) ? behind + piece.length : -1;
  }
  if (steps > 0) keys.spend?.(steps);
  return at;
}

/** What is shorter is compared and searched as it is. */
const SHORT = 64;

/** `startsWith` takes one character after the other, which takes ten times as long for texts that are long. */
function standsAt(piece: string, value: string, at: number): boolean {
  return piece.length <= SHORT ? value.startsWith(piece, at) : value.slice(at, at + piece.length) === piece;
}

/**
 * What is searched for of a longer text, before the rest is compared: texts up to this length V8 searches in one way,
 * whose cost is known beforehand. It tries each place where the first letter stands.
 */
const SOUGHT = 6;

/** Where the first occurrence of a chunk ends; -1: there is none. */
function find(chunk: Chunk, value: string, { start: from, keys }: Place): number {
  const [head = ''] = chunk;
  const sought = head.slice(0, SOUGHT);
  const times = head === '' ? 0 : timesIn(value, head.charCodeAt(0), keys);
  for (let at = from; ; ) {
    const start = value.indexOf(sought, at);
    const seen = start < 0 ? value.length - at : start - at + 1;
    keys.spend?.(SEARCH + seen / SEEN + Math.min(seen, times) * TRIED);
    if (start < 0) return -1;
    const end =
      sought === head
        ? endBehind(chunk, value, { start: start + head.length, keys })
        : endOf(chunk, value, { start, keys });
    if (end >= 0) return end;
    if (start === value.length) return -1;
    at = start + 1;
  }
}

/** How often each letter stands in the value that was searched last: one value is held against many patterns. */
const counted = { value: '', times: new Uint32Array(256) };

/**
 * How often a letter stands in a value, or more: letters that share their last eight bits are one. A search tries each
 * of these places, and passes over all others quickly.
 */
function timesIn(value: string, letter: number, keys: ConditionKeys): number {
  if (value.length <= SHORT) return value.length;
  const { times } = counted;
  if (counted.value !== value) {
    keys.spend?.(value.length / COUNTED);
    times.fill(0);
    for (let at = 0; at < value.length; at += 1) {
      const code = value.charCodeAt(at) & 0xff;
      times[code] = (times[code] ?? 0) + 1;
    }
  }
  // The same string again is known at a glance; another one with the same letters must be read to its end.
  counted.value = value;
  return times[letter & 0xff] ?? 0;
}

function standsAtEnd(chunk: Chunk, value: string, { start: from, keys }: Place): boolean {
  const [only = '', ...more] = chunk;
  if (more.length === 0) return value.length - only.length >= from && value.endsWith(only);
  // A character may be one unit or two: as many starts are tried as there are wildcards.
  const units = chunk.reduce((sum, piece) => sum + piece.length, 0);
  for (let wide = 0; wide <= more.length; wide += 1) {
    const start = value.length - units - more.length - wide;
    if (start < from) return false;
    if (endOf(chunk, value, { start, keys }) === value.length) return true;
  }
  return false;
}
