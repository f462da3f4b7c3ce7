import { S3Error } from '../../errors/s3-error.ts';
import type { S3Request } from '../../protocol/request.ts';
import type { ResolvedSource } from '../copy-source.ts';
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
 * A copy of an object onto itself must change something. S3 takes it for a change that the source's version is named,
 * whichever it is: an older one is restored by it. The same goes for an encryption of the bucket that somebody set,
 * whatever it says: so what was stored before is encrypted by it.
 * @throws S3Error InvalidRequest
 */
export function requireChange(
  request: S3Request,
  { source, metadata }: { readonly source: ResolvedSource; readonly metadata: RequestedMetadata },
): void {
  const { bucket, key, versionId } = source.source;
  if (bucket !== request.address.bucket || key !== request.address.key) return;
  if (versionId !== undefined || source.bucket.settings.encryption !== undefined) return;
  if (metadata.replacement !== undefined || CHANGES.some((name) => request.headers.get(name) !== undefined)) return;
  throw new S3Error('InvalidRequest', {
    message:
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
  });
}
