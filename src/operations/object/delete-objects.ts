import { S3Error } from '../../errors/s3-error.ts';
import type { Bucket } from '../../manifest/buckets/bucket.ts';
import { type Decoded, decodeXml } from '../../protocol/xml/decode.ts';
import { xml } from '../../protocol/xml/document.ts';
import { DELETE, DELETE_RESULT } from '../../protocol/xml/object-shapes.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import { authorizedBucket, requireNullVersion } from '../authorized-bucket.ts';
import { toS3Error } from '../failure.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { requireBodyDigest } from '../required-digest.ts';

const MAX_OBJECTS = 1000;
/** 1,000 keys of 1,024 bytes, each byte at its longest as a character reference, and the elements around them. */
const MAX_BODY = 8 * 1024 * 1024;
/** Objects deleted at the same time for one request. */
const CONCURRENCY = 16;

type DeleteItem = Decoded<typeof DELETE>['objects'][number];

interface Failure {
  readonly Key: string;
  readonly VersionId: string | undefined;
  readonly Code: string;
  readonly Message: string;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html */
export const deleteObjects: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  requireBodyDigest(request.headers);
  const { Quiet: quiet = false, objects } = decodeXml(DELETE, await request.body.readAll(MAX_BODY));
  if (objects.length === 0 || objects.length > MAX_OBJECTS) throw new S3Error('MalformedXML');

  const items = [...new Map(objects.map((item) => [`${item.VersionId ?? ''}/${item.Key}`, item])).values()];
  const failures = await mapConcurrent(items, CONCURRENCY, (item) => deleteOne(bucket, item, context));
  const deleted = items.filter((_, index) => failures[index] === undefined);
  const value = {
    ...(!quiet && { Deleted: deleted.map(({ Key, VersionId }) => ({ Key, VersionId })) }),
    Error: failures.filter((failure) => failure !== undefined).map((failure) => ({ ...failure })),
  };
  return { status: 200, body: xml(DELETE_RESULT, value) };
};

/** Failures of single objects are reported beside the successes of others. */
async function deleteOne(bucket: Bucket, item: DeleteItem, context: OperationContext): Promise<Failure | undefined> {
  const { Key, VersionId, ETag } = item;
  try {
    requireNullVersion(VersionId);
    await context.manifest.objects.remove(bucket, Key, ETag === undefined ? {} : { ifMatch: ETag }, context.call);
    return undefined;
  } catch (error) {
    context.call.signal.throwIfAborted();
    const { code, message } = toS3Error(error);
    return { Key, VersionId, Code: code, Message: message };
  }
}
