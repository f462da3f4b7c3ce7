import { S3Error } from '../../errors/s3-error.ts';
import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import type { FormBody, Md5By, ObjectBody, OpenBodyOptions } from '../../protocol/body/object-body.ts';
import type { WriteConditions } from '../../protocol/conditions.ts';
import { checksumHeaders, quoted } from '../../protocol/headers/object-headers.ts';
import { expirationHeader } from '../../protocol/lifecycle/expiration-headers.ts';
import type { HeaderReader, S3Request } from '../../protocol/request.ts';
import type { S3Response } from '../../protocol/response.ts';
import { writtenOwnership } from '../acl/written-object.ts';
import { objectKey } from '../named-bucket.ts';
import { createdVersionHeaders } from '../object-version.ts';
import { judgedByBackend } from '../failure.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { describeEncryption, requestedEncryption } from '../encryption.ts';
import { newObjectAttributes } from './new-object.ts';
import { withinQuota } from '../quota.ts';
import { keptApart } from './storage-class.ts';
import { type AnyBody, type Bucket, type KeepApart, type PutRequest, isWatched } from '../../manifest/index.ts';

/** S3's largest single upload: 5 GiB. */
export const MAX_OBJECT_SIZE = 5_368_709_120;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html */
export const putObject: Operation = (request, context) => storeObject(request, request.body, context);

/** Where the bytes of an object come from: the body of a request, or the file of a form. */
interface Opener {
  open(options: OpenBodyOptions): Promise<ObjectBody | FormBody>;
}

/**
 * Stores what `source` opens as the object that the request names, if quotas let it in by the length that the request
 * declares; a form counts with its fields.
 */
export function storeObject(request: S3Request, source: Opener, context: OperationContext): Promise<S3Response> {
  const { declaredSize } = request.body;
  return withinQuota({ bytes: declaredSize ?? 0, objects: 1 }, context, (admitted) => {
    if (admitted === undefined) return store(request, source, context);
    const opener: Opener = {
      open: async (options) => {
        const body = await source.open(options);
        if (declaredSize === undefined) admitted.grow(sizeOf(body) ?? 0);
        return body;
      },
    };
    return store(request, opener, context);
  });
}

/**
 * The bucket is read once more before the last bytes
 * are let through. If it was deleted, the object is refused. If its versioning has changed, or whether changes of the
 * key are announced, the object is refused only when bytes are on their way to the backend already; while the gateway
 * holds all of them, it is stored in the bucket as it is now.
 */
async function store(request: S3Request, source: Opener, context: OperationContext): Promise<S3Response> {
  const { bucket } = context;
  const encryptWith = requestedEncryption({ headers: request.headers, bucket }, context);
  const described = describe(request, context);
  const md5 = md5By(request.body.declaredSize ?? 0, keptApart(described.attributes, encryptWith, bucket), bucket);
  const conditions = writeConditions(request.headers);
  const key = objectKey(request);

  let current = bucket;
  let isOpen = false;
  const confirm = async (): Promise<void> => {
    const now = await context.manifest.buckets.current(bucket, context.call);
    if (now.versioning === bucket.versioning && isWatched({ bucket: now, key }) === isWatched({ bucket, key })) return;
    if (isOpen) throw versioningChanged();
    current = now;
  };
  const { holdBytes, defaultChecksum } = context.settings;
  const body = await source.open({
    holdBytes,
    maxSize: MAX_OBJECT_SIZE,
    md5,
    ...(defaultChecksum !== undefined && { wantChecksum: defaultChecksum }),
    beforeEnd: confirm,
  });
  isOpen = true;
  if (body.kind !== 'held' && current !== bucket) throw versioningChanged();
  const object = current === bucket ? described : describe(request, { ...context, bucket: current });
  const apart = keptApart(object.attributes, encryptWith, current);
  const put = {
    ...object,
    conditions,
    ...uploadOf(body),
    ...(apart && { keepApart: apart }),
  };
  const committed = await judgedByBackend(
    md5 === 'backend' && body.kind === 'streamed' ? put.md5 : undefined,
    context.manifest.objects.put({ bucket: current, key }, put, context.call),
  );
  const { etag, checksum, versionId, mtime } = committed;
  const size = sizeOf(body);
  const made = size !== undefined && { key, mtime, size, tags: put.attributes.tags };
  return {
    status: 200,
    headers: {
      etag: quoted(etag),
      ...describeEncryption(encryptWith),
      ...checksumHeaders(checksum),
      ...createdVersionHeaders(versionId),
      ...(made && expirationHeader(current.settings.lifecycle, made)),
    },
  };
}

/** The backend says the MD5 of what one write stores in the open. Bytes that lie apart may not become one write. */
function md5By(size: number, apart: KeepApart | undefined, { home }: Bucket): Md5By {
  const { writeReturnsMd5, maxWrite } = home.store.capabilities;
  if (!writeReturnsMd5 || size > maxWrite) return 'here';
  return apart === undefined ? 'backend' : 'ifDeclared';
}

/** Undefined: the file of a form, whose length shows at its end. */
function sizeOf(body: ObjectBody | FormBody): number | undefined {
  if (body.kind === 'openEnded') return undefined;
  return body.kind === 'held' ? body.bytes.length : body.size;
}

/** A 503: clients send the object again. */
function versioningChanged(): S3Error {
  return new S3Error('ServiceUnavailable');
}

/** Describes what the object will have besides its bytes, in the bucket of the context: metadata, owner, ACL, lock. */
function describe(
  request: S3Request,
  context: OperationContext,
): Pick<PutRequest<AnyBody>, 'attributes' | 'ownerId' | 'acl'> {
  const attributes = newObjectAttributes(request, context);
  return { attributes, ...writtenOwnership(request.headers, {}, context) };
}

export function writeConditions(headers: HeaderReader): WriteConditions {
  const ifMatch = headers.get('if-match');
  const ifNoneMatch = headers.get('if-none-match');
  return { ...(ifMatch !== undefined && { ifMatch }), ...(ifNoneMatch !== undefined && { ifNoneMatch }) };
}

/** What is known of the body before it is written. The checksum of a trailer comes later, in `facts`. */
function uploadOf(body: ObjectBody | FormBody): Pick<PutRequest<AnyBody>, 'body' | 'md5' | 'checksum' | 'facts'> {
  const { md5, checksum: declared } = body.kind === 'held' ? body.facts : body.declared;
  const checksum: Checksum | undefined =
    declared?.value === undefined ? undefined : { ...declared, value: declared.value, type: 'FULL_OBJECT' };
  const known = { ...(md5 !== undefined && { md5 }), ...(checksum !== undefined && { checksum }) };
  switch (body.kind) {
    case 'held':
      return { body: body.bytes, ...known };
    case 'streamed':
      return { body: { size: body.size, stream: body.stream }, ...known, facts: body.facts };
    case 'openEnded':
      return { body: body.body, ...known, facts: body.facts };
  }
}
