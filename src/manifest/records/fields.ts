import { NamedValues } from '../../observe/named-values.ts';

/**
 * Records are sets of fields. One table names the fields of a kind of record. Encoder, decoder, what may spill, and the
 * page that explains the fields (docs/records.md) are all made from it.
 */

/** How a value stands in JSON. */
interface Form<T> {
  /** @returns undefined for a value that an absent field means. Absent: the value stands in JSON as it is */
  encode?(value: T): unknown;
  /** @throws Error for what this release does not know and must not guess. Absent: as `encode` */
  decode?(json: unknown): T;
}

/** Whether the gateway can have written a value, as it stands in JSON. Other tools can write to the same blobs. */
export type Check = (value: unknown) => boolean;

export interface Field {
  /** A record with a value that this refuses is damaged. Absent: only the gateway writes such records. */
  readonly check?: Check;
  /** Its name in JSON. A code is never given another meaning. */
  readonly code: string;
  readonly form: Form<unknown>;
  readonly meaning: string;
  /** What an absent field means, in words for docs/records.md. */
  readonly absent: string;
}

export type FieldTable = Readonly<Record<string, Field>>;

export type ValueOf<F> = F extends { readonly form: Form<infer T> } ? T : never;

/** Fields that this release does not know. It writes them back when it writes the record anew. */
export type UnknownFields = Readonly<Record<string, unknown>>;

/** The value as it is. */
export function plain<T>(): Form<T> {
  return {};
}

/** A value that has a shorter form. */
export function coded<T, J>(encode: (value: T) => J | undefined, decode: (json: J) => T): Form<T> {
  return { encode, decode: (json) => decode(json as J) };
}

export const TEXT = plain<string>();
export const NUMBER = plain<number>();
/** 1 for true; absent for false. */
export const FLAG: Form<boolean> = { encode: (value) => (value ? 1 : undefined), decode: () => true };

/** Encoder and decoder of a table, made once. */
interface FieldCodec {
  /** Adds the fields of a record in the order of the table; what is undefined is left out. */
  encode(record: object, json: Record<string, unknown>): void;
  /**
   * The fields that the table has, by their names, and the rest as it is.
   * @throws DamagedField, and what the forms throw
   */
  decode(json: object): { readonly fields: Record<string, unknown>; readonly unknown: UnknownFields | undefined };
}

/** @param header codes that stand beside the fields and are neither */
export function codecOfFields(table: FieldTable, header: readonly string[]): FieldCodec {
  const rows = Object.entries(table);
  const byCode = new Map(rows.map(([name, { code, form, check }]) => [code, { name, form, check }]));
  const isHeader = new Set(header);
  return {
    encode(record, json) {
      const values = record as Readonly<Record<string, unknown>>;
      for (const [name, { code, form }] of rows) {
        const value = values[name];
        const encoded = value === undefined || form.encode === undefined ? value : form.encode(value);
        if (encoded !== undefined) json[code] = encoded;
      }
    },
    decode(json) {
      const fields: Record<string, unknown> = {};
      let unknown: Record<string, unknown> | undefined;
      const values = json as Readonly<Record<string, unknown>>;
      for (const code in values) {
        const value = values[code];
        const row = byCode.get(code);
        if (row?.check?.(value) === false) throw new DamagedField(code);
        if (row !== undefined) fields[row.name] = row.form.decode === undefined ? value : row.form.decode(value);
        else if (!isHeader.has(code)) (unknown ??= new NamedValues<unknown>())[code] = value;
      }
      return { fields, unknown };
    },
  };
}

/** A record has a field that cannot be ours. */
export class DamagedField extends Error {
  constructor(code: string) {
    super(`field "${code}" that none of ours has`);
  }
}

/** Adds unknown fields. A field of the record with the same code wins. */
export function addUnknown(json: Record<string, unknown>, unknown: UnknownFields | undefined): void {
  for (const code in unknown) {
    if (!Object.hasOwn(json, code)) Object.defineProperty(json, code, { value: unknown[code], enumerable: true });
  }
}

/** JSON with every character outside printable ASCII escaped: fit for a metadata value. */
export function toAsciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
