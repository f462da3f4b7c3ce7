/*
 * How the fields of a table lie in an entry, one behind the other. The tables in `inspector/request-fields.ts` say what
 * is kept; here is how a value is written, and read again.
 */
import type { FieldRow, FieldTable, Form, Kept, NestedForm, ValueOf } from '../inspector/field-table.ts';
import type { EntryReader } from './entry-reader.ts';
import type { EntryWriter } from './entry-writer.ts';

/** Parts of a millisecond in which times are written: finer than that the clock says nothing. */
const TICKS_PER_MS = 100;

type Write<Source, Packing> = (source: Source, packing: Packing, out: EntryWriter) => void;
/** Where a value comes from. */
type From<T> = (source: unknown, packing: unknown) => T | undefined;

/** How the values of one form lie in an entry. */
interface Kind {
  /** A function for each field: what all fields went through would know nothing of any of them. */
  readonly writer: (from: From<never>, name: string) => Write<unknown, unknown>;
  readonly read: (entry: EntryReader) => unknown;
  /** What is read in place of a value that must be there and is not. */
  readonly absent: unknown;
}

const KINDS: Readonly<Record<Form<unknown>['as'], Kind>> = {
  text: { writer: textWriter, read: (entry) => entry.text(), absent: '' },
  shared: { writer: sharedWriter, read: (entry) => entry.text(), absent: '' },
  word: { writer: wordWriter, read: (entry) => entry.word(), absent: '' },
  number: { writer: numberWriter, read: (entry) => entry.number(), absent: 0 },
  time: { writer: timeWriter, read: readTime, absent: 0 },
  flag: { writer: flagWriter, read: readFlag, absent: false },
  mark: { writer: flagWriter, read: readFlag, absent: undefined },
  json: { writer: jsonWriter, read: readJson, absent: undefined },
};

function textWriter(from: From<string>): Write<unknown, unknown> {
  return (source, packing, out) => {
    const text = from(source, packing);
    if (text === undefined) out.nothing();
    else out.text(text);
  };
}

function sharedWriter(from: From<string>, name: string): Write<unknown, unknown> {
  return (source, packing, out) => {
    const text = from(source, packing);
    const place = text === undefined ? undefined : out.shared?.placeOfField(name, text);
    if (text === undefined) out.nothing();
    else if (place === undefined) out.text(text);
    else out.repeated(place);
  };
}

function wordWriter(from: From<string>): Write<unknown, unknown> {
  return (source, packing, out) => {
    const word = from(source, packing);
    if (word === undefined) out.nothing();
    else out.word(word);
  };
}

function numberWriter(from: From<number>): Write<unknown, unknown> {
  return (source, packing, out) => {
    const number = from(source, packing);
    if (number === undefined) out.nothing();
    else out.number(number);
  };
}

function timeWriter(from: From<number>): Write<unknown, unknown> {
  return (source, packing, out) => {
    const ms = from(source, packing);
    if (ms === undefined) out.nothing();
    else out.number(Math.round(ms * TICKS_PER_MS));
  };
}

function flagWriter(from: From<boolean>): Write<unknown, unknown> {
  return (source, packing, out) => {
    const flag = from(source, packing);
    if (flag === undefined) out.nothing();
    else out.number(flag ? 1 : 0);
  };
}

function jsonWriter(from: From<object>): Write<unknown, unknown> {
  return (source, packing, out) => {
    const value = from(source, packing);
    if (value === undefined) out.nothing();
    else out.text(JSON.stringify(value));
  };
}

function readTime(entry: EntryReader): number | undefined {
  const ticks = entry.number();
  return ticks === undefined ? undefined : ticks / TICKS_PER_MS;
}

function readFlag(entry: EntryReader): true | false | undefined {
  const flag = entry.number();
  return flag === undefined ? undefined : flag === 1;
}

function readJson(entry: EntryReader): unknown {
  const json = entry.text();
  return json === undefined ? undefined : JSON.parse(json);
}

/** Something that is kept: written from a source and the request that it belongs to, read as what was kept of it. */
export interface Field<Source, Packing, Read> {
  readonly write: Write<Source, Packing>;
  read(entry: EntryReader): Read;
}

/** Where the fields of a table come from: a value is read from the source, a nested one is a record of its own. */
type Sources<Table, Source, Packing> = {
  readonly [Name in keyof Table]: Table[Name] extends { readonly form: NestedForm<infer Inner> & { as: 'nested' } }
    ? Field<Source, Packing, Inner>
    : (source: Source, packing: Packing) => ValueOf<Table[Name]>;
};

/** A record of the fields of a table, in its order. */
export function tableRecord<Source, Packing, Table extends FieldTable>(
  table: Table,
  sources: Sources<Table, Source, Packing>,
): Field<Source, Packing, Kept<Table>> {
  const names = Object.keys(table);
  const fields = names.map((name) => fieldOf<Source, Packing>(name, table[name], sources[name]));
  return {
    write(source, packing, out) {
      for (const one of fields) one.write(source, packing, out);
    },
    read(entry) {
      const kept: Record<string, unknown> = {};
      for (const [index, one] of fields.entries()) kept[names[index] ?? ''] = one.read(entry);
      return kept as Kept<Table>;
    },
  };
}

function fieldOf<Source, Packing>(
  name: string,
  row: FieldRow | undefined,
  source: unknown,
): Field<Source, Packing, unknown> {
  const form = row?.form;
  if (form === undefined || form.as === 'nested') return source as Field<Source, Packing, unknown>;
  const { writer, read, absent } = KINDS[form.as];
  const lacking = form.optional === true ? undefined : absent;
  return { write: writer(source as From<never>, name), read: (entry) => read(entry) ?? lacking };
}

/** What may be absent. */
export function optional<Source, Packing, Inner, Read>(
  inner: Field<Inner, Packing, Read>,
  from: (source: Source) => Inner | undefined,
): Field<Source, Packing, Read | undefined> {
  return {
    write(source, packing, out) {
      const found = from(source);
      out.number(found === undefined ? 0 : 1);
      if (found !== undefined) inner.write(found, packing, out);
    },
    read: (entry) => (entry.number() === 1 ? inner.read(entry) : undefined),
  };
}

export function list<Source, Packing, Inner, Read>(
  inner: Field<Inner, Packing, Read>,
  from: (source: Source, packing: Packing) => readonly Inner[],
): Field<Source, Packing, readonly Read[]> {
  return {
    write(source, packing, out) {
      const found = from(source, packing);
      out.number(found.length);
      for (const one of found) inner.write(one, packing, out);
    },
    read: (entry) => Array.from({ length: entry.number() ?? 0 }, () => inner.read(entry)),
  };
}
