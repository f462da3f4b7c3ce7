import type { S3ErrorCode } from '../../../errors/error-table.ts';
import { S3Error } from '../../../errors/s3-error.ts';
import type { OperationName } from '../../../protocol/operation-table.ts';
import { xml, type XmlDocument } from '../../../protocol/xml/document.ts';
import { REQUEST_PAYMENT_CONFIGURATION } from '../../../protocol/xml/setting-shapes.ts';
import type { Operation } from '../../operation.ts';

/**
 * Bucket settings that this release cannot change: their PUT answers NotImplemented, so every bucket
 * is in the state S3 gives to one on which they were never set. Reading that state, and deleting
 * what is not there, is answered truthfully; tools that look at all settings (Terraform) rely on it.
 */
const UNSET: Partial<Record<OperationName, S3ErrorCode | XmlDocument>> = {
  GetBucketRequestPayment: xml(REQUEST_PAYMENT_CONFIGURATION, { Payer: 'BucketOwner' }),
  GetBucketMetadataConfiguration: 'MetadataConfigurationNotFound',
  GetBucketMetadataTableConfiguration: 'MetadataConfigurationNotFound',
  GetBucketReplication: 'ReplicationConfigurationNotFoundError',
  GetBucketAnalyticsConfiguration: 'NoSuchConfiguration',
  GetBucketMetricsConfiguration: 'NoSuchConfiguration',
  GetBucketIntelligentTieringConfiguration: 'NoSuchConfiguration',
  DeleteBucketAnalyticsConfiguration: 'NoSuchConfiguration',
  DeleteBucketMetricsConfiguration: 'NoSuchConfiguration',
  DeleteBucketIntelligentTieringConfiguration: 'NoSuchConfiguration',
};

const DELETIONS = [
  'DeleteBucketReplication',
  'DeleteBucketMetadataConfiguration',
  'DeleteBucketMetadataTableConfiguration',
] as const satisfies readonly OperationName[];

const readUnset: Operation = async (_request, { bucket, operation }) => {
  const state = UNSET[operation.name];
  if (state === undefined) throw new S3Error('NotImplemented');
  if (state === 'NoSuchConfiguration') throw new S3Error(state);
  if (typeof state === 'string') throw new S3Error(state, { extra: { BucketName: bucket.name } });
  return { status: 200, body: state };
};

const deleteUnset: Operation = async () => ({ status: 204 });

const NAMES = [...Object.keys(UNSET), ...DELETIONS] as readonly OperationName[];

/** By name, as `operations/index.ts` lists them. */
export const UNSET_CONFIGURATIONS: Readonly<Partial<Record<OperationName, Operation>>> = Object.fromEntries(
  NAMES.map((name): [OperationName, Operation] => [name, name in UNSET ? readUnset : deleteUnset]),
);
