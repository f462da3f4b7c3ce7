import type { Call } from '../../observe/call.ts';
import { isWatched } from '../heads/announce.ts';
import { mtimeOfSeq, newNonce } from '../records/clock.ts';
import { partsOf } from '../heads/new-record.ts';
import { blobMetadata } from '../heads/overflow.ts';
import type { AssembledHead } from '../records/record.ts';
import { seqOfToken } from '../records/version-token.ts';
import type { BlobMetadata, WriteResult } from '../../store/blob-store.ts';
import { type Head, NULL_VERSION, parseHead } from '../heads/head.ts';
import type { ObjectsContext } from '../versions/object-context.ts';
import type {
  Committed,
  DescribedVersion,
  DetachedObject,
  PublishRequest,
  VersionMetadata,
} from '../heads/object-requests.ts';
import { BlobAge } from '../versions/blob-age.ts';
import { type DetachedNull, commitNull } from '../versions/commit-null.ts';
import { canSettle } from '../versions/settle.ts';
import { commitVersion } from '../versions/commit-version.ts';
import { type PlacedHead, isBehind } from '../versions/displace.ts';
import { type PlaceChange, copyToPlace } from '../versions/own-copy.ts';
import { ownRecord } from '../versions/upload-version.ts';
import type { WrittenObject } from '../versions/version-blob.ts';
import type { KeyRef } from '../records/key-ref.ts';

const EMPTY = new Uint8Array(0);

interface PublishTarget extends KeyRef {
  readonly request: PublishRequest;
}

interface DetachedTarget extends KeyRef {
  readonly request: DetachedObject;
}

/**
 * Makes metadata and headers for the blob of a version that is going to be published, as the bucket's versioning needs
 * them.
 */
export async function describeVersion(target: KeyRef, version: VersionMetadata, call: Call): Promise<DescribedVersion> {
  const { bucket } = target;
  const object = { ...version, conditions: {} };
  const { parts, etag } = version;
  const parted = partsOf(target, object);
  const own = ownRecord(target, parted, { token: version.version, isNull: bucket.versioning !== 'enabled' });
  const { native, headers } = parted;
  return {
    headers,
    metadata: await blobMetadata(bucket.home, { ...own, etag, ...(parts && { parts }) }, native, call),
  };
}

/**
 * Publishes a version's own blob that exists already: one conditional write of the head makes it the current object.
 * The cost does not depend on the object's size. The caller has the bytes of a null version moved to the key, once it
 * has written down what else there is to tell of them.
 */
export async function publishObject(context: ObjectsContext, target: PublishTarget, call: Call): Promise<Committed> {
  if (target.bucket.versioning === 'enabled') return publishVersion(context, target, call);
  const { once, known } = target.request;
  const head = await publishNull(context, target, { once, known }, call);
  return { ...committed(target.request, NULL_VERSION), unsettled: head === undefined ? {} : { head } };
}

async function publishVersion(
  context: ObjectsContext,
  { bucket, key, request }: PublishTarget,
  call: Call,
): Promise<Committed> {
  const { conditions, version, size, etag, parts, placed, once, known } = request;
  const parted = partsOf({ bucket, key }, request);
  const { native, headers } = parted;
  const own = ownRecord({ bucket, key }, parted, { token: version, isNull: false });
  // The record has no `rev`: the blob has more than the head repeats, so a later stamp must read the blob.
  const blob = { record: { ...own, etag, ...(parts && { parts }) }, size, native, headers };
  // Last-Modified stays the time of the initiation, whatever place the version gets.
  const mtime = mtimeOfSeq(seqOfToken(version));
  const move = async ({ written, ...change }: PlaceChange): Promise<WrittenObject> => {
    const beside = await once.movesTo(change.to);
    const moved = { ...change, written: { ...written, record: { ...written.record, mtime } } };
    return copyToPlace({ bucket, key }, moved, beside, call);
  };
  const { token } = await commitVersion(
    context,
    { kind: 'published', bucket, key, conditions, token: version, written: blob, move, placed, once, known },
    call,
  );
  return committed(request, token);
}

/**
 * Publishes the null version: the head becomes an assembled head, which names the blob. Even if the upload was
 * initiated before the current version was made, its object gets a place above that version.
 * @returns the head, as a read would find it; undefined when it was found instead of an answer, as it may have been
 * amended since it was written
 */
async function publishNull(
  context: ObjectsContext,
  { bucket, key, request }: DetachedTarget,
  { once, known }: Pick<DetachedNull, 'once' | 'known'>,
  call: Call,
): Promise<Head | undefined> {
  const { version, conditions, etag, size, parts, encryption } = request;
  const { ref, fields, native, headers } = partsOf({ bucket, key }, request);
  const age = new BlobAge(context, bucket);
  age.begin();
  let sent: { readonly result: WriteResult; readonly metadata: BlobMetadata } | undefined;
  const { written } = await commitNull(
    context,
    {
      bucket,
      key,
      conditions,
      writes: 'assembled',
      content: { etag, size: encryption?.size ?? size },
      blob: version,
      isTooLate: () => age.isTooOld,
      known,
      once,
      ownPlace: (placed) => (takesOwnPlace({ bucket, key, request }, placed) ? seqOfToken(version) : undefined),
      plan: async (base, { condition }) => {
        const mtime = mtimeOfSeq(seqOfToken(version));
        const assembled: AssembledHead = {
          kind: 'assembled',
          etag,
          size,
          version,
          ...(parts && { parts }),
          ...fields,
          ...base,
          // Its time is its own, whatever its place is.
          ...(base.seq !== seqOfToken(version) && { mtime }),
        };
        const metadata = await blobMetadata(bucket.home, assembled, native, call);
        return async () => {
          const result = await bucket.home.store.write(ref, EMPTY, { headers, metadata, condition }, call);
          sent = { result, metadata };
          return result;
        };
      },
    },
    call,
  );
  if (sent === undefined || sent.result !== written) return undefined;
  return parseHead(ref, { size: 0, ...headers, ...sent.result, metadata: sent.metadata });
}

/**
 * Whether the version stands where it was initiated. Behind the head it must not stand. Where there is none, nobody
 * knows what was removed since; receivers of events take the place for the order of the two. A version whose bytes stay
 * on their blob keeps the place that the blob is named after.
 */
function takesOwnPlace({ bucket, key, request: { version, size } }: DetachedTarget, placed: PlacedHead): boolean {
  if (isBehind(version, placed)) return false;
  return placed.head !== undefined || !isWatched({ bucket, key }) || !canSettle(bucket, size);
}

function committed({ version, etag, checksum }: DetachedObject, versionId: string): Committed {
  return { etag, mtime: mtimeOfSeq(seqOfToken(version)), versionId, ...(checksum !== undefined && { checksum }) };
}

/**
 * Makes a null version of a blob that this request has written itself. Settling (moving the bytes to the key) follows
 * in the background. If the publication is refused for certain, the blob is removed.
 */
export async function publishDetached(context: ObjectsContext, target: DetachedTarget, call: Call): Promise<Committed> {
  const { bucket, key, request } = target;
  const named = { perhaps: false };
  const once = { nonce: newNonce(), onDoubt: () => (named.perhaps = true) };
  try {
    await publishNull(context, target, { once }, call);
  } catch (error) {
    if (!named.perhaps) context.settler.discard({ bucket, key }, request.version);
    throw error;
  }
  context.settler.schedule({ bucket, key });
  return committed(request, NULL_VERSION);
}
