import type { Acl } from '../acl/acl.ts';

/** Which day the key of a partitioned log object names: that of its records, or that of its delivery. */
export const PARTITION_DATE_SOURCES = ['EventTime', 'DeliveryTime'] as const;
type PartitionDateSource = (typeof PARTITION_DATE_SOURCES)[number];

/**
 * Where the server access log of a bucket goes.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_LoggingEnabled.html
 */
export interface BucketLogging {
  readonly targetBucket: string;
  /** May be empty. */
  readonly targetPrefix: string;
  /** What log objects grant besides the full control of their owner. Never empty. */
  readonly targetGrants?: Acl;
  /** Absent: the document did not say, which is `simple`. */
  readonly keyFormat?: 'simple' | { readonly partitionedBy: PartitionDateSource };
}

/** The day by which log objects are partitioned; undefined: they are not. */
export function partitionedBy({ keyFormat }: Pick<BucketLogging, 'keyFormat'>): PartitionDateSource | undefined {
  return typeof keyFormat === 'object' ? keyFormat.partitionedBy : undefined;
}
