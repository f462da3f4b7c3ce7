import { S3Error } from '../../errors/s3-error.ts';
import type { HeadsByKey } from '../../manifest/index.ts';
import { checkKeyLength } from '../../protocol/address.ts';
import type { HeaderReader } from '../../protocol/request.ts';
import { type Decoded, decodeXmlList } from '../../protocol/xml/decode.ts';
import { type XmlValue, xml } from '../../protocol/xml/document.ts';
import { DELETE, DELETE_RESULT } from '../../protocol/xml/object-shapes.ts';
import { GatheredRemovals } from '../../store/gathered-removals.ts';
import { isStoreError } from '../../store/store-error.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import { Pace } from '../../streams/turns.ts';
import { idOf } from '../../access/acl/permits.ts';
import { toS3Error } from '../failure.ts';
import { type VersionTarget, canNameVersion } from '../object-version.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { requireAlso, requireDeferred } from '../permission.ts';
import { requireBodyDigest } from '../required-digest.ts';
import { bypassesGovernance, deletionGuard } from './object-lock.ts';

const MAX_OBJECTS = 1000;
/**
 * Room for 1,000 keys of 1,024 bytes, each byte written as its longest character reference, and for the six elements
 * around each.
 */
const LIMITS = { bytes: 8 * 1024 * 1024, elements: 7000 } as const;
/**
 * How many objects one request deletes at the same time, where each takes calls of its own: with this, a thousand take
 * a second where a call to the backend takes ten milliseconds.
 */
const CONCURRENCY = 48;
/** The same where a listing has shown their heads, and they are removed together. */
const TOGETHER = 256;
/** Keys that policies decide about at a time: a refusal waits for nothing, and a thousand would hold everybody up. */
const DECIDED_AT_A_TIME = 16;

type DeleteItem = Decoded<typeof DELETE>['objects'][number];

/** One element of the answer. */
interface Outcome {
  readonly element: 'Deleted' | 'Error';
  readonly value: Record<string, XmlValue>;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html */
export const deleteObjects: Operation = async (request, context) => {
  const { undecided } = context;
  // Where no policy tells keys apart, a caller who may delete none is refused before the list is read.
  if (undecided === undefined) bypassesGovernance(request.headers, undefined, context);
  requireBodyDigest(request.headers);
  const document = await request.body.readAll(LIMITS.bytes);
  const { Quiet: quiet = false, objects } = await decodeXmlList(DELETE, document, {
    limits: LIMITS,
    signal: context.call.signal,
  });
  if (objects.length === 0 || objects.length > MAX_OBJECTS) throw new S3Error('MalformedXML');
  // S3's schema asks for at least one character.
  if (objects.some(({ Key }) => Key === '')) throw new S3Error('MalformedXML');

  const items = itemsByKey(objects);
  const deletion: Deletion = {
    headers: request.headers,
    heads: await lookAhead(items, context),
    removals: new GatheredRemovals(context.bucket.home),
    ...(undecided !== undefined && { pace: new Pace(DECIDED_AT_A_TIME) }),
  };
  const atOnce = items.every(([item]) => item !== undefined && deletion.heads.has(item.Key)) ? TOGETHER : CONCURRENCY;
  const outcomes = (await mapConcurrent(items, atOnce, (items) => deleteInTurn(items, deletion, context))).flat();
  const valuesOf = (wanted: Outcome['element']): XmlValue[] =>
    outcomes.filter(({ element }) => element === wanted).map(({ value }) => value);
  return {
    status: 200,
    body: xml(DELETE_RESULT, { ...(!quiet && { Deleted: valuesOf('Deleted') }), Error: valuesOf('Error') }),
  };
};

/**
 * Groups the items by key, each version once; of two items for one version the last counts. Versions of one key are
 * deleted one after the other, because they would collide.
 */
function itemsByKey(objects: readonly DeleteItem[]): DeleteItem[][] {
  const byKey = new Map<string, Map<string | undefined, DeleteItem>>();
  for (const item of objects) {
    const versions = byKey.get(item.Key) ?? new Map<string | undefined, DeleteItem>();
    byKey.set(item.Key, versions.set(item.VersionId, item));
  }
  return Array.from(byKey.values(), (versions) => [...versions.values()]);
}

/** What all items of one request have in common. */
interface Deletion {
  readonly headers: HeaderReader;
  /** Heads that a listing has shown. */
  readonly heads: HeadsByKey;
  readonly removals: GatheredRemovals;
  /** Absent: no policy is asked. */
  readonly pace?: Pace;
}

/**
 * Reads the heads of many keys at once. Tools delete keys by the thousand that lie side by side, so a listing shows
 * what a read of each head would. The result is a hint only, as each change is conditional on the head. Not used where
 * a policy tells keys apart, or where versions are named.
 */
async function lookAhead(
  items: readonly DeleteItem[][],
  { bucket, undecided, manifest, call }: OperationContext,
): Promise<HeadsByKey> {
  if (undecided !== undefined) return new Map();
  const plain = items.filter(([item, ...more]) => item?.VersionId === undefined && more.length === 0);
  const keys = plain.flatMap(([item]) => (item === undefined ? [] : [item.Key]));
  try {
    return await manifest.objects.look(bucket, keys, call);
  } catch (error) {
    call.signal.throwIfAborted();
    if (!isStoreError(error)) throw error;
    return new Map(); // each is looked at by itself, and says what is wrong
  }
}

async function deleteInTurn(
  items: readonly DeleteItem[],
  deletion: Deletion,
  context: OperationContext,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const item of items) {
    await deletion.pace?.begin();
    outcomes.push(await deleteOne(item, deletion, context));
  }
  return outcomes;
}

/** Deletes one object. Its failure is reported in the answer, beside the successes of others. */
async function deleteOne(
  item: DeleteItem,
  { headers, heads, removals }: Deletion,
  context: OperationContext,
): Promise<Outcome> {
  const { bucket } = context;
  const { Key, VersionId, ETag, Size, LastModifiedTime } = item;
  try {
    checkKeyLength(Key);
    if (Size !== undefined || LastModifiedTime !== undefined) {
      throw new S3Error('NotImplemented', { message: 'Only ETag can be a condition of a deletion.' });
    }
    const target = { bucket, key: Key, versionId: VersionId };
    requireDeletion({ ...target, ifMatch: ETag }, context);
    // Of an id in a list S3 says so whatever is wrong with it, and not InvalidArgument.
    if (VersionId !== undefined && !canNameVersion(VersionId, bucket)) throw new S3Error('NoSuchVersion');
    const guard = deletionGuard(headers, Key, context);
    const conditions = ETag === undefined ? {} : { ifMatch: ETag };
    const removed = await context.manifest.objects.remove(
      target,
      {
        conditions,
        ownerId: idOf(context.principal),
        guard,
        listing: heads,
        removals,
      },
      context.call,
    );
    context.logAccess(bucket, { kind: 'batchDelete', key: Key, versionId: VersionId, status: 204 });
    const marker = removed.deleteMarker ? { DeleteMarker: true, DeleteMarkerVersionId: removed.versionId } : {};
    return { element: 'Deleted', value: { Key, VersionId, ...marker } };
  } catch (error) {
    context.call.signal.throwIfAborted();
    const { code, message, status } = toS3Error(error);
    context.logAccess(bucket, { kind: 'batchDelete', key: Key, versionId: VersionId, status, code });
    return { element: 'Error', value: { Key, VersionId, Code: code, Message: message } };
  }
}

/**
 * Checks permission for a deletion. Everybody who may write to a bucket may put a delete marker on top. Only the
 * bucket's owner, and whom policies let, may delete a version for good.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#acl-access-policy-permission-mapping @throws
 * S3Error AccessDenied
 */
function requireDeletion(
  { bucket, key, versionId, ifMatch }: VersionTarget & { readonly ifMatch?: string | undefined },
  context: OperationContext,
): void {
  const says = { get: (name: string) => (name === 's3:if-match' ? ifMatch : undefined) };
  if (versionId === undefined) requireDeferred({ bucket, key, says }, context);
  else requireAlso('version', { bucket, key, versionId, says }, context);
}
