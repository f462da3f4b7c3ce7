import { authorize } from '../../access/authorize.ts';
import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import type { CopyObjectRequest } from '../../manifest/objects/object-requests.ts';
import type { ObjectAttributes } from '../../manifest/objects/object-view.ts';
import { CHECKSUM_ALGORITHMS, type Checksum } from '../../protocol/checksums/algorithms.ts';
import { parseObjectAttributes, parsePlacement } from '../../protocol/headers/object-attributes.ts';
import { ENCRYPTED, quoted } from '../../protocol/headers/object-headers.ts';
import type { HeaderReader, S3Request } from '../../protocol/request.ts';
import { xml } from '../../protocol/xml/document.ts';
import { COPY_OBJECT_RESULT } from '../../protocol/xml/object-shapes.ts';
import { xmlDate } from '../../protocol/xml/xml-date.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { writtenOwnership } from '../acl/written-object.ts';
import { authorizedBucket, callerId, objectKey } from '../authorized-bucket.ts';
import { type ResolvedSource, copiedVersionHeaders, requireCopyable, resolveCopySource } from '../copy-source.ts';
import { createdVersionHeaders } from '../object-version.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { refuseUnsupported } from '../unsupported-headers.ts';
import { requestedTags } from './requested-tags.ts';
import { writeConditions } from './put-object.ts';

/** Turns in which the source may be replaced between looking at it and copying the state that was seen. */
const MAX_TURNS = 4;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html */
export const copyObject: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  refuseUnsupported(request.headers);
  const key = objectKey(request);
  const conditions = writeConditions(request.headers);
  const writerId = callerId(context);
  const replacingTags = directive(request.headers, 'x-amz-tagging-directive') === 'REPLACE' ? requestedTags(request, { bucket, context }) : undefined;
  // The source's ACL is not copied.
  const ownership = writtenOwnership(request.headers, { bucket, writerId, ignoreWrite: true }, context.accounts);
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const source = await resolveCopySource(request, context);
    requireCopyable(source.view.size);
    requireChange(request, source);
    const { attributes, sameAttributes } = copiedAttributes(request.headers, source);
    const tagged = { ...attributes, ...(replacingTags ?? copiedTags(source, context)) };
    const copy: CopyObjectRequest = { source, conditions, ...ownership, attributes: tagged, sameAttributes, ...copiedChecksum(request.headers, source) };
    const headers = { ...ENCRYPTED, ...copiedVersionHeaders(source) };
    context.mayTakeLong(headers);
    try {
      const committed = await context.manifest.objects.copy(bucket, key, copy, context.call);
      const value = { LastModified: xmlDate(committed.mtime), ETag: quoted(committed.etag) };
      return { status: 200, headers: { ...headers, ...createdVersionHeaders(bucket, committed.versionId) }, body: xml(COPY_OBJECT_RESULT, value) };
    } catch (error) {
      if (!isStoreError(error, 'sourceNotFound', 'sourceConditionFailed')) throw error;
    }
  }
  throw new StoreError('throttled', { call: 'copy', code: 'SourceKeepsChanging' });
};

function copiedAttributes(headers: HeaderReader, { view }: ResolvedSource): { attributes: ObjectAttributes; sameAttributes: boolean } {
  if (directive(headers, 'x-amz-metadata-directive') === 'REPLACE') {
    return { attributes: parseObjectAttributes(headers), sameAttributes: false };
  }
  const attributes = {
    headers: view.headers,
    userMetadata: view.userMetadata,
    ...(view.expires !== undefined && { expires: view.expires }),
    ...parsePlacement(headers),
  };
  return { attributes, sameAttributes: true };
}

/** Tags are read only with a permission of their own. @throws S3Error AccessDenied */
function copiedTags({ bucket, view: { tags } }: ResolvedSource, context: OperationContext): Pick<ObjectAttributes, 'tags'> {
  if (tags === undefined) return {};
  authorize(context.principal, 's3:GetObjectTagging', { bucket });
  return { tags };
}

/** COPY unless the header says REPLACE. @throws S3Error InvalidArgument */
function directive(headers: HeaderReader, name: string): 'COPY' | 'REPLACE' {
  const value = headers.get(name) ?? 'COPY';
  if (value === 'COPY' || value === 'REPLACE') return value;
  const what = name === 'x-amz-metadata-directive' ? 'metadata' : 'tagging';
  throw invalidArgument(name, value, `Unknown ${what} directive.`);
}

/** The source's checksum is carried; one of another algorithm would have to be computed from the bytes. */
function copiedChecksum(headers: HeaderReader, { view }: ResolvedSource): { checksum?: Checksum; checksumAlgorithm?: Checksum['algorithm'] } {
  const wanted = headers.get('x-amz-checksum-algorithm')?.toUpperCase();
  if (wanted === undefined || wanted === view.checksum?.algorithm) return view.checksum === undefined ? {} : { checksum: view.checksum };
  const algorithm = CHECKSUM_ALGORITHMS.find((name) => name === wanted);
  if (algorithm === undefined) {
    throw new S3Error('InvalidRequest', { message: 'Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]' });
  }
  return { checksumAlgorithm: algorithm };
}

const CHANGES = ['x-amz-storage-class', 'x-amz-server-side-encryption', 'x-amz-website-redirect-location'];

/** A copy onto itself must change something. @throws S3Error InvalidRequest, InvalidArgument */
function requireChange(request: S3Request, { source }: ResolvedSource): void {
  const replaces = directive(request.headers, 'x-amz-metadata-directive') === 'REPLACE';
  const onto = source.bucket === request.address.bucket && source.key === request.address.key && source.versionId === undefined;
  if (!onto || replaces || CHANGES.some((name) => request.headers.get(name) !== undefined)) return;
  throw new S3Error('InvalidRequest', {
    message:
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
  });
}
