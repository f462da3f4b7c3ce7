import type { InventoryFormat } from '../protocol/inventory/inventory.ts';
import { CsvFile } from './csv-file.ts';
import type { DataFile } from './data-file.ts';
import { ParquetFile, parquetSchema } from './parquet-file.ts';
import type { ReportColumn } from './report-columns.ts';

interface Format {
  readonly open: (columns: readonly ReportColumn[]) => DataFile;
  /** As the manifest says it. */
  readonly schema: (columns: readonly ReportColumn[]) => string;
  readonly contentType: string;
}

export const FORMATS: Readonly<Record<InventoryFormat, Format>> = {
  CSV: {
    open: (columns) => new CsvFile(columns),
    schema: (columns) => columns.map(({ name }) => name).join(', '),
    contentType: 'application/x-gzip',
  },
  Parquet: {
    open: (columns) => new ParquetFile(columns),
    schema: parquetSchema,
    contentType: 'application/octet-stream',
  },
};
