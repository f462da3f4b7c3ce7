/*
 * A request as it lies in the journal's memory: its values in a fixed order, each on a line of its own, the headers
 * last. Little more than half as long as JSON with names, which every request would pay for; names are put to the
 * values when somebody reads. `fields.ts` is the table of what is kept; here is how one value becomes a line, and a
 * line a value.
 */

/** In place of a value that is not there. */
const NOTHING = '\\-';
const SPECIAL = /[\n\\]/;
/** Parts of a millisecond in which times are written: whole numbers are written and read fastest. */
const TICKS_PER_MS = 100;

export type Line = string | number;

/** Values of one type, each on a line. */
export interface Kind<T> {
  /** Of a value that is there. */
  readonly toLine: (value: NonNullable<T>) => Line;
  readonly fromLine: (line: string) => NonNullable<T>;
  /** What is read when the line says that there is none. */
  readonly absent: T;
}

const escaped = (text: string): string =>
  SPECIAL.test(text) ? text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n') : text;
const unescaped = (line: string): string =>
  line.includes('\\') ? line.replaceAll(/\\(.)/g, (_, mark: string) => (mark === 'n' ? '\n' : mark)) : line;
const itself = <T>(value: T): T => value;
/** Finer than that the clock says nothing. */
const toTicks = (ms: number): number => Math.round(ms * TICKS_PER_MS);
const fromTicks = (line: string): number => Number(line) / TICKS_PER_MS;

/** A text that may hold anything. */
export const TEXT: Kind<string> = { toLine: escaped, fromLine: unescaped, absent: '' };
/** A word that the gateway has made itself: it holds nothing that would need care. */
export const WORD: Kind<string> = { toLine: itself, fromLine: itself, absent: '' };
export const NUMBER: Kind<number> = { toLine: itself, fromLine: Number, absent: 0 };
/** Milliseconds. */
export const TIME: Kind<number> = { toLine: toTicks, fromLine: fromTicks, absent: 0 };
export const FLAG: Kind<boolean> = {
  toLine: (value) => (value ? 1 : 0),
  fromLine: (line) => line === '1',
  absent: false,
};
/** True or absent. */
export const MARK: Kind<true | undefined> = { toLine: () => 1, fromLine: () => true, absent: undefined };

/** The same, but perhaps absent. */
const perhaps = <T>({ toLine, fromLine }: Kind<T>): Kind<T | undefined> => ({ toLine, fromLine, absent: undefined });

export const OPTIONAL_TEXT = perhaps(TEXT);
export const OPTIONAL_WORD = perhaps(WORD);
export const OPTIONAL_NUMBER = perhaps(NUMBER);
export const OPTIONAL_TIME = perhaps(TIME);

/** What is there seldom. */
export function json<T extends object>(): Kind<T | undefined> {
  return { toLine: (value) => JSON.stringify(value), fromLine: (line) => JSON.parse(line) as T, absent: undefined };
}

/** Something that is kept: written from a source, read as what was kept of it. */
interface Field<Source, Kept> {
  write(source: Source, lines: Line[]): void;
  read(lines: LineReader): Kept;
}

/** One value. */
export function field<Source, Value>(
  { toLine, fromLine, absent }: Kind<Value>,
  from: (source: Source) => Value,
): Field<Source, Value> {
  return {
    write(source, lines) {
      const value = from(source);
      lines.push(value === undefined || value === null ? NOTHING : toLine(value));
    },
    read(lines) {
      const line = lines.take();
      return line === NOTHING ? absent : fromLine(line);
    },
  };
}

/** A text that takes all lines which are left. */
export function rest<Source>(from: (source: Source) => string): Field<Source, string> {
  return { write: (source, lines) => void lines.push(from(source)), read: (lines) => lines.rest() };
}

/** All fields of what is kept, in the order of their lines. */
type Table<Source, Kept> = { readonly [Name in keyof Required<Kept>]: Field<Source, Kept[Name]> };

/** A record of several fields. */
export function record<Source, Kept>(table: Table<Source, Kept>): Field<Source, Kept> {
  const names = Object.keys(table);
  const fields = Object.values<Field<Source, unknown>>(table);
  return {
    write(source, lines) {
      for (const one of fields) one.write(source, lines);
    },
    read(lines) {
      const kept: Record<string, unknown> = {};
      for (const [index, one] of fields.entries()) kept[names[index] ?? ''] = one.read(lines);
      return kept as Kept;
    },
  };
}

/** What may be absent. */
export function optional<Source, Inner, Kept>(
  inner: Field<Inner, Kept>,
  from: (source: Source) => Inner | undefined,
): Field<Source, Kept | undefined> {
  return {
    write(source, lines) {
      const found = from(source);
      lines.push(found === undefined ? 0 : 1);
      if (found !== undefined) inner.write(found, lines);
    },
    read: (lines) => (lines.take() === '1' ? inner.read(lines) : undefined),
  };
}

export function list<Source, Inner, Kept>(
  inner: Field<Inner, Kept>,
  from: (source: Source) => readonly Inner[],
): Field<Source, readonly Kept[]> {
  return {
    write(source, lines) {
      const found = from(source);
      lines.push(found.length);
      for (const one of found) inner.write(one, lines);
    },
    read: (lines) => Array.from({ length: Number(lines.take()) }, () => inner.read(lines)),
  };
}

/** Reads one line after the other. */
export class LineReader {
  readonly #lines: readonly string[];
  #next = 0;

  constructor(text: string) {
    this.#lines = text.split('\n');
  }

  take(): string {
    const line = this.#lines[this.#next] ?? NOTHING;
    this.#next += 1;
    return line;
  }

  rest(): string {
    return this.#lines.slice(this.#next).join('\n');
  }
}
