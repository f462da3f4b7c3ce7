import type { Bucket, Committed, Manifest, PutRequest } from '../../manifest/index.ts';
import type { Call } from '../../observe/call.ts';
import { createMd5 } from '../../protocol/checksums/md5.ts';
import { THE_SERVICE } from '../../protocol/notifications/event-names.ts';
import { retentionByDefault } from '../../protocol/object-lock.ts';
import { requireKmsKey } from '../encryption.ts';
import { classByDefault, keptApart } from './storage-class.ts';

const NO_HEADERS = { get: () => undefined, startingWith: () => [] };

/** An object that the gateway writes for a service of S3's own: a log, a file of a report. */
interface ServiceObject extends Pick<PutRequest, 'acl' | 'conditions'> {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** The name of a KMS key, or `s3`. Absent: as the bucket encrypts by default. */
  readonly encryption?: { readonly kind: 's3' } | { readonly kind: 'kms'; readonly keyId: string };
}

interface ServicePut {
  readonly manifest: Pick<Manifest, 'objects'>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Stores an object of the bucket's owner, in the way of any other object of the bucket: with its defaults for class,
 * encryption and retention, versions, and events. Whether the service may is the caller's to judge.
 * @throws S3Error as PutObject
 */
export async function putForService(
  { manifest, now }: ServicePut,
  { bucket, key }: { readonly bucket: Bucket; readonly key: string },
  { body, contentType, encryption, ...object }: ServiceObject,
  call: Call,
): Promise<Committed> {
  const { objectLock, encryption: byDefault, notifications } = bucket.settings;
  const retention = objectLock?.default && retentionByDefault(objectLock.default, now);
  const attributes = {
    headers: { contentType },
    userMetadata: {},
    ...classByDefault(NO_HEADERS, bucket),
    ...(retention !== undefined && { lock: { retention } }),
  };
  const kmsKey = encryption === undefined ? byDefault?.kms : encryption.kind === 'kms' && { key: encryption.keyId };
  const keepApart = keptApart(attributes, kmsKey ? requireKmsKey(kmsKey.key, bucket) : undefined, bucket);
  const md5 = createMd5(body.length);
  md5.update(body);
  const request: PutRequest = {
    ...object,
    attributes,
    ownerId: bucket.ownerId,
    body,
    md5: md5.digest().toString('hex'),
    ...(keepApart !== undefined && { keepApart }),
  };
  const own = notifications === undefined ? call : { ...call, occasion: BY_SERVICE };
  return manifest.objects.put({ bucket, key }, request, own);
}

/** As S3's events say it. */
const BY_SERVICE = {
  operation: 'PutObject',
  principalId: THE_SERVICE,
  requester: THE_SERVICE,
  sourceAddress: THE_SERVICE,
  hostId: THE_SERVICE,
};
