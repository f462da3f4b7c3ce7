import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { DataFile } from './data-file.ts';
import type { CellValue, ColumnKind, InventoryRow, ReportColumn } from './report-columns.ts';

/** Rows that are encoded at a time. */
const ROW_GROUP = 10_000;

/** Columns that every row has. */
const REQUIRED: ReadonlySet<string> = new Set(['bucket', 'key']);

interface ParquetKind {
  readonly element: Pick<SchemaElement, 'type' | 'converted_type'>;
  /** As the manifest's schema writes type and name. */
  readonly declare: (name: string) => string;
  readonly encode: (value: string | number | boolean) => unknown;
}

const KINDS: Readonly<Record<ColumnKind, ParquetKind>> = {
  text: {
    element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    declare: (name) => `binary ${name} (UTF8)`,
    encode: (value) => (typeof value === 'string' ? value.toWellFormed() : value),
  },
  flag: { element: { type: 'BOOLEAN' }, declare: (name) => `boolean ${name}`, encode: (value) => value },
  number: {
    element: { type: 'INT64' },
    declare: (name) => `int64 ${name}`,
    encode: (value) => BigInt(value),
  },
  time: {
    element: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
    declare: (name) => `int64 ${name} (TIMESTAMP_MILLIS)`,
    encode: (value) => new Date(Number(value)),
  },
};

/** A data file in Parquet, compressed by Snappy, with the schema of S3's reports. */
export class ParquetFile implements DataFile {
  rows = 0;
  readonly #columns: readonly ReportColumn[];
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;
  /** Not encoded yet: the values of each column. */
  #waiting: CellValue[][];

  constructor(columns: readonly ReportColumn[]) {
    this.#columns = columns;
    this.#waiting = columns.map(() => []);
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaOf(columns),
      createdBy: 's3-cloud-gateway',
    });
  }

  get bytes(): number {
    return this.#bytes.offset;
  }

  async add(rows: readonly InventoryRow[]): Promise<void> {
    this.rows += rows.length;
    for (const row of rows) for (const [index, { of }] of this.#columns.entries()) this.#waiting[index]?.push(of(row));
    if ((this.#waiting[0]?.length ?? 0) >= ROW_GROUP) await this.#encode();
  }

  async finish(): Promise<Buffer> {
    if ((this.#waiting[0]?.length ?? 0) > 0) await this.#encode();
    await this.#writer.finish();
    return Buffer.from(this.#bytes.getBytes());
  }

  discard(): void {
    this.#waiting = [];
  }

  async #encode(): Promise<void> {
    const columnData = this.#columns.map(({ parquet, kind }, index) => ({
      name: parquet,
      nullable: !REQUIRED.has(parquet),
      data: (this.#waiting[index] ?? []).map((value) => (value === undefined ? null : KINDS[kind].encode(value))),
    }));
    this.#waiting = this.#columns.map(() => []);
    await this.#writer.write({ columnData, rowGroupSize: Infinity });
  }
}

function schemaOf(columns: readonly ReportColumn[]): SchemaElement[] {
  return [
    { name: 's3.inventory', num_children: columns.length },
    ...columns.map(({ parquet, kind }): SchemaElement => {
      const repetition = REQUIRED.has(parquet) ? 'REQUIRED' : 'OPTIONAL';
      return { name: parquet, repetition_type: repetition, ...KINDS[kind].element };
    }),
  ];
}

/** As the manifest of a report says it. */
export function parquetSchema(columns: readonly ReportColumn[]): string {
  const fields = columns.map(({ parquet, kind }) => {
    return `${REQUIRED.has(parquet) ? 'required' : 'optional'} ${KINDS[kind].declare(parquet)}; `;
  });
  return `message s3.inventory { ${fields.join(' ')}}`;
}
