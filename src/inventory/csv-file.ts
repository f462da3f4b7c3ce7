import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { formEncodedKey } from '../protocol/form-encoded-key.ts';
import type { DataFile } from './data-file.ts';
import type { CellValue, InventoryRow, ReportColumn } from './report-columns.ts';

/**
 * A data file as S3 writes it: CSV without a header, every field in quotes, keys encoded, all of it compressed by gzip.
 */
export class CsvFile implements DataFile {
  rows = 0;
  readonly #columns: readonly ReportColumn[];
  readonly #text = new PassThrough();
  readonly #chunks: Buffer[] = [];
  readonly #written: Promise<void>;
  #bytes = 0;

  constructor(columns: readonly ReportColumn[]) {
    this.#columns = columns;
    this.#written = pipeline(this.#text, createGzip(), (bytes: AsyncIterable<Buffer>) => this.#collect(bytes));
    // Heard by who waits for it; a file that is given up has nobody.
    this.#written.catch(() => undefined);
  }

  get bytes(): number {
    return this.#bytes;
  }

  async add(rows: readonly InventoryRow[]): Promise<void> {
    this.rows += rows.length;
    const lines = rows.map((row) => `${this.#columns.map((column) => quoted(cellText(column, row))).join(',')}\n`);
    if (!this.#text.write(lines.join(''))) await Promise.race([once(this.#text, 'drain'), this.#written]);
  }

  async finish(): Promise<Buffer> {
    this.#text.end();
    await this.#written;
    return Buffer.concat(this.#chunks);
  }

  discard(): void {
    this.#text.destroy();
  }

  async #collect(bytes: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of bytes) {
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
    }
  }
}

function cellText({ name, kind, of }: ReportColumn, row: InventoryRow): string {
  const value = of(row);
  if (name === 'Key') return formEncodedKey(String(value));
  return kind === 'time' && typeof value === 'number' ? new Date(value).toISOString() : textOf(value);
}

function textOf(value: CellValue): string {
  return value === undefined ? '' : String(value);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
