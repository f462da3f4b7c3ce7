import { S3Error, isS3Error } from '../../errors/s3-error.ts';
import type { S3Request } from '../../protocol/request.ts';
import type { ResolvedSource } from '../copy-source.ts';
import type { OperationContext } from '../operation.ts';
import type { RequestedMetadata } from './copy-metadata.ts';

/** Headers that make a copy of an object onto itself a change, whatever they say. */
const CHANGES = [
  'x-amz-storage-class',
  'x-amz-server-side-encryption',
  'x-amz-server-side-encryption-customer-key',
  'x-amz-copy-source-server-side-encryption-customer-key',
  'x-amz-website-redirect-location',
];

/**
 * A copy of the current version onto itself must change something; an older one is restored by it.
 * @throws S3Error InvalidRequest
 */
export async function requireChange(
  request: S3Request,
  { source, metadata }: { readonly source: ResolvedSource; readonly metadata: RequestedMetadata },
  context: OperationContext,
): Promise<void> {
  const { bucket, key } = source.source;
  if (bucket !== request.address.bucket || key !== request.address.key) return;
  if (metadata.replacement !== undefined || CHANGES.some((name) => request.headers.get(name) !== undefined)) return;
  if (!(await isCurrent(source, context))) return;
  throw new S3Error('InvalidRequest', {
    message:
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
  });
}

async function isCurrent(
  { source, bucket, view }: ResolvedSource,
  { manifest, call }: OperationContext,
): Promise<boolean> {
  if (source.versionId === undefined || bucket.versioning === 'never') return true;
  try {
    const current = await manifest.objects.find({ bucket, key: source.key }, call);
    return current.versionId === view.versionId;
  } catch (error) {
    if (isS3Error(error, 'NoSuchKey')) return false;
    throw error;
  }
}
