import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import type { FormBody, ObjectBody, OpenBodyOptions } from '../../protocol/body/object-body.ts';
import type { WriteConditions } from '../../protocol/conditions.ts';
import { checksumHeaders, quoted } from '../../protocol/headers/object-headers.ts';
import type { HeaderReader, S3Request } from '../../protocol/request.ts';
import type { S3Response } from '../../protocol/response.ts';
import { writtenOwnership } from '../acl/written-object.ts';
import { objectKey } from '../named-bucket.ts';
import { createdVersionHeaders } from '../object-version.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { encryptionHeaders, requestedEncryption } from '../encryption.ts';
import { newObjectAttributes } from './new-object.ts';
import { UploadTarget } from './upload-target.ts';
import type { AnyBody, PutRequest } from '../../manifest/index.ts';

/** S3's largest single upload: 5 GiB. */
export const MAX_OBJECT_SIZE = 5_368_709_120;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html */
export const putObject: Operation = (request, context) => storeObject(request, request.body, context);

/** Where the bytes of an object come from: the body of a request, or the file of a form. */
interface Opener {
  open(options: OpenBodyOptions): Promise<ObjectBody | FormBody>;
}

/** Stores what `source` opens as the object that the request names. */
export async function storeObject(request: S3Request, source: Opener, context: OperationContext): Promise<S3Response> {
  const { bucket } = context;
  const encryptWith = requestedEncryption({ headers: request.headers, bucket }, context);
  const described = describe(request, context);
  const conditions = writeConditions(request.headers);
  const key = objectKey(request);

  const { capabilities } = bucket.home.store;
  const target = new UploadTarget(context);
  const { holdBytes, defaultChecksum } = context.settings;
  const body = await source.open({
    holdBytes,
    maxSize: MAX_OBJECT_SIZE,
    wantMd5: !capabilities.writeReturnsMd5 || (request.body.declaredSize ?? 0) > capabilities.maxWrite,
    ...(defaultChecksum !== undefined && { wantChecksum: defaultChecksum }),
    beforeEnd: () => target.confirm(),
  });
  const current = target.begin(body.kind);
  const put = {
    ...(current === bucket ? described : describe(request, { ...context, bucket: current })),
    conditions,
    ...uploadOf(body),
    ...(encryptWith && { encryptWith }),
  };
  const committed = await context.manifest.objects.put({ bucket: current, key }, put, context.call);
  const { etag, checksum, versionId } = committed;
  return {
    status: 200,
    headers: {
      etag: quoted(etag),
      ...encryptionHeaders(encryptWith),
      ...checksumHeaders(checksum),
      ...createdVersionHeaders(versionId),
    },
  };
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
  const known = body.kind === 'held' ? body.facts : body.declared;
  const checksum = fullObject(known.checksum);
  return {
    body: storedBody(body),
    ...(known.md5 !== undefined && { md5: known.md5 }),
    ...(checksum !== undefined && { checksum }),
    ...(body.kind !== 'held' && { facts: body.facts }),
  };
}

function storedBody(body: ObjectBody | FormBody): AnyBody {
  switch (body.kind) {
    case 'held':
      return body.bytes;
    case 'streamed':
      return { size: body.size, stream: body.stream };
    case 'openEnded':
      return body.body;
  }
}

function fullObject(checksum: { algorithm: Checksum['algorithm']; value?: string } | undefined): Checksum | undefined {
  if (checksum?.value === undefined) return undefined;
  return { algorithm: checksum.algorithm, value: checksum.value, type: 'FULL_OBJECT' };
}
