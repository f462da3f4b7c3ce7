import { createHash } from 'node:crypto';
import type { Inventory } from '../protocol/inventory/inventory.ts';
import type { ReportKeys } from '../protocol/inventory/report-keys.ts';
import { FORMATS } from './formats.ts';
import type { InventoryProgress } from './inventory-progress.ts';
import type { ReportColumn } from './report-columns.ts';
import type { ReportFile } from './report-writer.ts';

/** A report whose data files are all stored. */
interface DescribedReport {
  readonly inventory: Inventory;
  /** Name of the bucket that was listed. */
  readonly source: string;
  readonly columns: readonly ReportColumn[];
  readonly progress: Pick<InventoryProgress, 'startedAt' | 'files'>;
  readonly keys: ReportKeys;
}

/** Names the data files in the form of Hive, a line each. */
export function symlinkFile({ progress, keys }: DescribedReport): ReportFile {
  const lines = progress.files.map(({ name }) => `s3://${keys.destination}/${keys.data(name)}\n`);
  return { key: keys.symlink, body: Buffer.from(lines.join('')), contentType: 'text/plain' };
}

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory-location.html#storage-inventory-location-manifest */
export function manifestFile({ inventory, source, columns, progress, keys }: DescribedReport): ReportFile {
  const { bucketArn, format } = inventory.destination;
  const manifest = {
    sourceBucket: source,
    destinationBucket: bucketArn,
    version: '2016-11-30',
    creationTimestamp: String(progress.startedAt),
    fileFormat: format,
    fileSchema: FORMATS[format].schema(columns),
    files: progress.files.map(({ name, size, md5 }) => ({ key: keys.data(name), size, MD5checksum: md5 })),
  };
  return {
    key: keys.manifest,
    body: Buffer.from(JSON.stringify(manifest, undefined, 2)),
    contentType: 'application/json',
  };
}

/** @param manifest the one that is stored */
export function checksumFile({ checksum }: ReportKeys, manifest: Buffer): ReportFile {
  const md5 = createHash('md5').update(manifest).digest('hex');
  return { key: checksum, body: Buffer.from(md5), contentType: 'application/octet-stream' };
}
