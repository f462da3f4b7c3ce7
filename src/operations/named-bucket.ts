import { S3Error, invalidArgument } from '../errors/s3-error.ts';
import { type Bucket, headPlace } from '../manifest/index.ts';
import { REFUSED_HEADERS } from '../protocol/operation-parameters.ts';
import type { S3Request } from '../protocol/request.ts';
import type { RequestContext } from './operation.ts';

/** S3 accepts this header on all operations on objects but DeleteObjectTagging. */
const PAYER = 'x-amz-request-payer';

/**
 * Finds the bucket that a request names: it is as the headers say, and the request asks nothing that is not done. For
 * DeleteBucket it may be one whose deletion broke off. @throws S3Error NoSuchBucket, AccessDenied (expected owner), and
 * what is wrong with the headers
 */
export async function namedBucket(request: S3Request, context: RequestContext): Promise<Bucket> {
  const {
    manifest: { buckets },
    operation,
    principal,
    call,
  } = context;
  const name = bucketName(request);
  if (principal.kind === 'anonymous') return asAddressed(await buckets.getForStranger(name, call), request, context);
  const found = operation.name === 'DeleteBucket' ? buckets.getToDelete(name, call) : buckets.get(name, call);
  return asAddressed(await found, request, context);
}

/**
 * @throws S3Error AccessDenied, InvalidArgument: the request says of the bucket what is not so; NotImplemented: it has
 * a header that asks for something that the gateway does not do
 */
function asAddressed(bucket: Bucket, request: S3Request, context: RequestContext): Bucket {
  context.call.facts.note('s3gw.bucket.owner', bucket.ownerId);
  context.logAccess(bucket);
  const { headers, address } = request;
  const expected = headers.get('x-amz-expected-bucket-owner');
  if (expected !== undefined) requireOwner(bucket, expected, context);
  if (context.settings.isReadOnly !== undefined) requireChangeable(bucket.name, context);
  if (bucket.home.store.fits !== undefined && address.key !== undefined) requireRoom(bucket, address.key);
  const payer = headers.get(PAYER);
  if (payer !== undefined) checkPayer(payer, context);
  refuseHeaders(request, context);
  return bucket;
}

/** @throws S3Error AccessDenied: the bucket is read-only, and the operation reads nothing */
export function requireChangeable(bucket: string, { operation: { method }, settings }: RequestContext): void {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return;
  if (settings.isReadOnly?.(bucket) === true) {
    throw new S3Error('AccessDenied', { message: 'The bucket is read-only here.' });
  }
}

/** Keys of a bucket that is part of a container share their room with its prefix. @throws S3Error KeyTooLongError */
function requireRoom(bucket: Bucket, key: string): void {
  if (bucket.home.store.fits?.(headPlace({ bucket, key }).ref) !== false) return;
  throw new S3Error('KeyTooLongError', { extra: { Size: Buffer.byteLength(key) } });
}

/**
 * Checks the value of the header. No bucket charges its readers, so the header has no effect, but a client that
 * misspells it must not believe that it agreed to pay. @throws S3Error InvalidArgument
 */
function checkPayer(payer: string, { operation }: RequestContext): void {
  if (payer === 'requester' || operation.level !== 'object' || operation.name === 'DeleteObjectTagging') return;
  throw invalidArgument(PAYER, payer, 'The only valid value is requester');
}

/** To ignore such a header would be a false answer. @throws S3Error NotImplemented */
function refuseHeaders({ headers }: S3Request, { operation }: RequestContext): void {
  for (const name of REFUSED_HEADERS[operation.name] ?? []) {
    if (headers.get(name) === undefined) continue;
    throw new S3Error('NotImplemented', {
      extra: { Header: name, additionalMessage: `${name} is not implemented` },
    });
  }
}

/** `x-amz-expected-bucket-owner` and its twin for copy sources: 12-digit account number of the owner, or 403. */
export function requireOwner(bucket: Bucket, expected: string | undefined, context: RequestContext): void {
  if (expected === undefined) return;
  if (context.accounts.byCanonicalId(bucket.ownerId)?.accountNumber !== expected) throw new S3Error('AccessDenied');
}

export function bucketName(request: S3Request): string {
  const { bucket } = request.address;
  if (bucket === undefined) throw new S3Error('InvalidBucketName', { extra: { BucketName: '' } });
  return bucket;
}

export function objectKey(request: S3Request): string {
  const { key } = request.address;
  if (key === undefined) throw new S3Error('InvalidURI');
  return key;
}

/** Canonical id of the caller's account. @throws S3Error AccessDenied: the request is anonymous */
export function callerId(context: RequestContext): string {
  if (context.principal.kind === 'anonymous') throw new S3Error('AccessDenied');
  return context.principal.account.canonicalId;
}
