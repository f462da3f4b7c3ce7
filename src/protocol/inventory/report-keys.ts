import { bucketOfArn, type Inventory, type InventoryFormat } from './inventory.ts';

/** Behind the name of a data file. */
const DATA_SUFFIXES: Readonly<Record<InventoryFormat, string>> = { CSV: 'csv.gz', Parquet: 'parquet' };

/**
 * The keys of one report in its destination.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory-location.html
 */
export interface ReportKeys {
  readonly destination: string;
  /** Of a data file. @param name unique among all reports */
  data(name: string): string;
  /** Names the data files in a form that Hive reads. */
  readonly symlink: string;
  readonly manifest: string;
  /** Has the MD5 of the manifest; written last. */
  readonly checksum: string;
}

/** @param source name of the bucket @param startedAt when the report was begun, milliseconds since 1970 */
export function reportKeys({ id, destination }: Inventory, source: string, startedAt: number): ReportKeys {
  const { prefix = '', format, bucketArn } = destination;
  const folder = `${prefix === '' ? '' : `${prefix.replace(/\/$/, '')}/`}${source}/${id}`;
  const minute = new Date(startedAt).toISOString().slice(0, 16).replace(':', '-');
  const report = `${folder}/${minute}Z`;
  return {
    destination: bucketOfArn(bucketArn) ?? '',
    data: (name) => `${folder}/data/${name}.${DATA_SUFFIXES[format]}`,
    symlink: `${folder}/hive/dt=${minute.replace('T', '-')}/symlink.txt`,
    manifest: `${report}/manifest.json`,
    checksum: `${report}/manifest.checksum`,
  };
}
