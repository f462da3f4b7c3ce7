import { createHmac, randomBytes } from 'node:crypto';
import type { WriteRequest } from '../../store/blob-store.ts';
import type { BlobEncryption } from '../../store/customer-key.ts';
import type { BucketHome } from '../records/bucket.ts';
import { type EncryptedBy, checkOfKey } from '../records/encryption.ts';
import { tierOfClass } from '../records/storage-classes.ts';
import type { EncryptWith, KeepApart } from './object-requests.ts';

/** How the service is to keep a piece. @param storageClass of the object; absent: STANDARD */
export function keepingOf(
  { classes }: Pick<BucketHome, 'classes'>,
  keepApart: KeepApart,
  storageClass: string | undefined,
): Keeping {
  if (keepApart.kind === 'archive') return { tier: 'archive' };
  const tier = classes && tierOfClass(classes, storageClass);
  return { encryption: blobEncryption(keepApart), ...(tier !== undefined && { tier }) };
}

export type Keeping = Pick<WriteRequest, 'encryption' | 'tier'>;

function blobEncryption(encryptWith: EncryptWith): BlobEncryption {
  return encryptWith.kind === 'customer' ? encryptWith : { kind: 'service', name: encryptWith.serviceKey };
}

/** What is remembered. */
export function encryptedBy(keepApart: KeepApart): EncryptedBy {
  if (keepApart.kind === 'archive') return keepApart;
  return keepApart.kind === 'customer' ? checkOfKey(keepApart.key) : { kind: 'kms', key: keepApart.key };
}

/**
 * The ETag of an encrypted object is no MD5, as in S3: an MD5 would let people without the key check guesses of the
 * plain bytes.
 */
export function opaqueMd5(): string {
  return randomBytes(16).toString('hex');
}

/**
 * ETag of an encrypted part: the same for the same bytes, since a part may be sent again and listed by the ETag of its
 * first sending. Without the key it does not help to check guesses of the bytes. That of an archived part is its MD5.
 */
export function partEtag(keepApart: KeepApart, uploadId: string, md5: string): string {
  if (keepApart.kind === 'archive') return md5;
  const digest = (secret: string | Uint8Array): string =>
    createHmac('sha256', secret).update(`s3gw part ${uploadId} ${md5}`).digest('hex').slice(0, 32);
  return keepApart.kind === 'customer' ? keepApart.key.use(digest) : digest(uploadId);
}
