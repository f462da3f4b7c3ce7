/*
 * A request as it lies in the journal's memory: its values in a fixed order, each on a line of its own, the headers
 * last. Little more than half as long as JSON with names, which every request would pay for; names are put to the
 * values when somebody reads. The tables in `inspector/request-fields.ts` say what is kept; here is how one value
 * becomes a line, and a line a value.
 */
import type { FieldRow, FieldTable, Form, Kept, NestedForm, ValueOf } from '../inspector/field-table.ts';

/** In place of a value that is not there. */
const NOTHING = '\\-';
const SPECIAL = /[\n\\]/;
/** Parts of a millisecond in which times are written: whole numbers are written and read fastest. */
const TICKS_PER_MS = 100;

export type Line = string | number;

/** How the values of one form become lines. The type of a value is its row's (`ValueOf`). */
interface Kind {
  /** Of a value that is there. */
  readonly toLine: (value: never) => Line;
  readonly fromLine: (line: string) => unknown;
  /** What is read in place of a value that must be there and is not. */
  readonly absent: unknown;
}

const escaped = (text: string): string =>
  SPECIAL.test(text) ? text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n') : text;
const unescaped = (line: string): string =>
  line.includes('\\') ? line.replaceAll(/\\(.)/g, (_, mark: string) => (mark === 'n' ? '\n' : mark)) : line;
const itself = <T>(value: T): T => value;
/** Finer than that the clock says nothing. */
const toTicks = (ms: number): number => Math.round(ms * TICKS_PER_MS);
const fromTicks = (line: string): number => Number(line) / TICKS_PER_MS;

const KINDS: Readonly<Record<Form<unknown>['as'], Kind>> = {
  text: { toLine: escaped, fromLine: unescaped, absent: '' },
  word: { toLine: itself, fromLine: itself, absent: '' },
  number: { toLine: itself, fromLine: Number, absent: 0 },
  time: { toLine: toTicks, fromLine: fromTicks, absent: 0 },
  flag: { toLine: (value: boolean) => (value ? 1 : 0), fromLine: (line) => line === '1', absent: false },
  mark: { toLine: () => 1, fromLine: () => true, absent: undefined },
  json: {
    toLine: (value: object) => JSON.stringify(value),
    fromLine: (line): unknown => JSON.parse(line),
    absent: undefined,
  },
};

/** Something that is kept: written from a source, read as what was kept of it. */
interface Field<Source, Kept> {
  write(source: Source, lines: Line[]): void;
  read(lines: LineReader): Kept;
}

/** One value. */
function field<Source, Value>(
  { as, optional: mayLack }: Form<Value>,
  from: (source: Source) => Value,
): Field<Source, Value> {
  const { toLine, fromLine, absent } = KINDS[as];
  const lacking = mayLack === true ? undefined : absent;
  return {
    write(source, lines) {
      const value = from(source);
      lines.push(value === undefined ? NOTHING : toLine(value as never));
    },
    read(lines) {
      const line = lines.take();
      return (line === NOTHING ? lacking : fromLine(line)) as Value;
    },
  };
}

/** A text that takes all lines which are left. */
export function rest<Source>(from: (source: Source) => string): Field<Source, string> {
  return { write: (source, lines) => void lines.push(from(source)), read: (lines) => lines.rest() };
}

/** JSON that is put together elsewhere. */
export function jsonLine<Source, Value>(
  from: (source: Source) => string | undefined,
): Field<Source, Value | undefined> {
  return {
    write: (source, lines) => void lines.push(from(source) ?? NOTHING),
    read(lines) {
      const line = lines.take();
      return line === NOTHING ? undefined : (JSON.parse(line) as Value);
    },
  };
}

/** Where the fields of a table come from: a value is read from the source, a nested one is a record of its own. */
type Sources<Table, Source> = {
  readonly [Name in keyof Table]: Table[Name] extends { readonly form: NestedForm<infer Inner> & { as: 'nested' } }
    ? Field<Source, Inner>
    : (source: Source) => ValueOf<Table[Name]>;
};

/** A record of the fields of a table, in its order. */
export function tableRecord<Source, Table extends FieldTable>(
  table: Table,
  sources: Sources<Table, Source>,
): Field<Source, Kept<Table>> {
  const names = Object.keys(table);
  const fields = names.map((name): Field<Source, unknown> => fieldOf(table[name]?.form, sources[name]));
  return {
    write(source, lines) {
      for (const one of fields) one.write(source, lines);
    },
    read(lines) {
      const kept: Record<string, unknown> = {};
      for (const [index, one] of fields.entries()) kept[names[index] ?? ''] = one.read(lines);
      return kept as Kept<Table>;
    },
  };
}

function fieldOf<Source>(form: FieldRow['form'] | undefined, source: unknown): Field<Source, unknown> {
  return form === undefined || form.as === 'nested'
    ? (source as Field<Source, unknown>)
    : field(form, source as (from: Source) => unknown);
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
