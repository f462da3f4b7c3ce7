import { createHash } from 'node:crypto';
import { isS3Error } from '../../errors/s3-error.ts';
import { requireKey, timeOf } from '../../manifest/index.ts';
import { addHeaders, describeObject } from '../../protocol/headers/object-headers.ts';
import type { S3Response } from '../../protocol/response.ts';
import { XML_PROLOG, type XmlElements, encodeElements } from '../../protocol/xml/encode.ts';
import { heldBytes } from '../../streams/bytes.ts';
import type { OperationContext, VeeamBucket } from '../operation.ts';
import { requireAccess } from '../permission.ts';
import { type ReadTarget, notModified, requireConditions } from './read-request.ts';
import { contentRange, selectBytes } from './select-bytes.ts';

/** The folder that Veeam's Smart Object Storage API (SOSAPI 1.0) names; the same in every bucket of every vendor. */
const FOLDER = '.system-d26a9498-cb7c-4a87-a44a-8ae204f5ba6c/';

/** Asked before `veeamDocument`, so that reads of all other keys await nothing for it. */
export function isVeeamKey(key: string): boolean {
  return key.startsWith(FOLDER);
}

/** What SOSAPI says for a number that is not known. */
const UNKNOWN = -1;

/** Absent: the object is not there. */
const DOCUMENTS: Readonly<Record<string, (bucket: VeeamBucket) => XmlElements | undefined>> = {
  [`${FOLDER}system.xml`]: ({ model, capacityBytes }) => ({
    SystemInfo: {
      // Veeam takes version and model with quotation marks only.
      ProtocolVersion: '"1.0"',
      ModelName: `"${model}"`,
      ProtocolCapabilities: {
        CapacityInfo: String(capacityBytes !== undefined),
        UploadSessions: 'false',
        IAMSTS: 'false',
      },
    },
  }),
  [`${FOLDER}capacity.xml`]: ({ capacityBytes }) =>
    capacityBytes === undefined
      ? undefined
      : { CapacityInfo: { Capacity: capacityBytes, Available: UNKNOWN, Used: UNKNOWN } },
};

/**
 * What a GET is answered of an object of SOSAPI (`isVeeamKey`) which is not stored, in a bucket that the operator named
 * for Veeam. Such an object belongs to the owner of the bucket.
 * @returns undefined: it is another object, or one that is stored
 * @throws S3Error AccessDenied, PreconditionFailed, InvalidRange, InvalidPart, InvalidRequest
 */
export async function veeamDocument(target: ReadTarget, context: OperationContext): Promise<S3Response | undefined> {
  const { bucket, key, versionId } = target;
  const write = versionId === undefined ? DOCUMENTS[key] : undefined;
  if (write === undefined) return undefined;
  const told = context.settings.veeam?.(bucket.name);
  const elements = told && write(told);
  if (elements === undefined || (await isStored(target, context))) return undefined;
  requireAccess({ bucket, key, object: { ownerId: bucket.ownerId } }, context);
  return answer(Buffer.from(XML_PROLOG + encodeElements(elements)), target);
}

async function isStored(target: ReadTarget, { manifest, call }: OperationContext): Promise<boolean> {
  try {
    await manifest.objects.find(target, call);
    return true;
  } catch (error) {
    if (isS3Error(error, 'NoSuchKey')) return false;
    throw error;
  }
}

/** As of an object that was written just now. */
function answer(bytes: Buffer, { bucket, selection, conditions, shown, overrides }: ReadTarget): S3Response {
  const mtime = Math.floor(timeOf(bucket.home).now() / 1000) * 1000;
  const etag = createHash('md5').update(bytes).digest('hex');
  const view = { etag, mtime, size: bytes.length, headers: { contentType: 'application/xml' }, userMetadata: {} };
  requireKey(undefined, shown);
  if (requireConditions(view, conditions) === 'notModified') return notModified(view, {});
  const selected = selectBytes(selection, view);
  const { first, length, partial } = selected;
  const headers = addHeaders(
    describeObject(view),
    { 'content-range': contentRange(selected, view.size), 'content-length': String(length) },
    overrides,
  );
  return { status: partial ? 206 : 200, headers, body: heldBytes(bytes.subarray(first, first + length)) };
}
