/*
 * The types behind `request-fields.ts`: what a row of a field table says, and what a kept request and the JSON of the
 * inspector's API look like because of it. Types only: the browser never loads this file.
 */

/** The type of a field's value. Nothing of it is there at run time. */
export interface TypeOf<T> {
  readonly type?: () => T;
}

/** Sections of the page about one request. */
export type DetailSection = 'top' | 'operation' | 'identity' | 'body' | 'time';

/**
 * How the page writes a value: as it stands, as code, as a number of bytes, as a date, as a moment since the request
 * arrived, as a duration in milliseconds, as a link to the trace viewer, or by the words that stand for it.
 */
export type Show =
  | 'plain'
  | 'code'
  | 'bytes'
  | 'date'
  | 'since'
  | 'duration'
  | 'trace'
  | Readonly<Record<string, string>>;

export interface FieldRow {
  readonly type: TypeOf<unknown>;
  /** Objects of the API's JSON that hold the field under its own name. Without it, only the journal has the value. */
  readonly json?: readonly string[];
  /** Where the page about one request shows the value, under which label, and how. */
  readonly detail?: readonly [section: DetailSection, label: string, show: Show];
  /** The page's list of requests has a column for it. */
  readonly column?: { readonly label: string; readonly classes: string; readonly show: 'plain' | 'bytes' };
}

export type ShownFieldTable = Readonly<Record<string, FieldRow>>;

type ValueOf<Row> = Row extends { readonly type: TypeOf<infer T> } ? T : never;

/** What the journal hands to its readers: all fields of a table. */
export type Kept<Table> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

type NamesIn<Table, Part> = {
  [Name in keyof Table]: Table[Name] extends { readonly json: readonly (infer P)[] }
    ? Part extends P
      ? Name
      : never
    : never;
}[keyof Table];

type OptionalNames<Table> = {
  [Name in keyof Table]: undefined extends ValueOf<Table[Name]> ? Name : never;
}[keyof Table];

/** The fields of one object of the API's JSON: those whose rows name it. */
export type PartOf<Table, Part extends string> = {
  readonly [Name in Exclude<NamesIn<Table, Part>, OptionalNames<Table>>]: ValueOf<Table[Name]>;
} & {
  readonly [Name in Extract<NamesIn<Table, Part>, OptionalNames<Table>>]?: NonNullable<ValueOf<Table[Name]>>;
};
