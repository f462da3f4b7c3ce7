import type { Call } from '../../observe/call.ts';
import { mtimeOfSeq } from '../records/clock.ts';
import { partsOf } from '../heads/new-record.ts';
import { blobMetadata } from '../heads/overflow.ts';
import type { MlinkHead } from '../records/record.ts';
import { type VersionToken, seqOfToken } from '../records/version-token.ts';
import type { WriteResult } from '../../store/blob-store.ts';
import { type Head, NULL_VERSION, parseHead } from '../heads/head.ts';
import type { ObjectsContext } from '../versions/object-context.ts';
import type { Committed, DescribedVersion, PublishRequest, VersionMetadata } from '../heads/object-requests.ts';
import { BlobAge } from '../versions/blob-age.ts';
import { type NewNull, commitNull } from '../versions/commit-null.ts';
import { commitVersion } from '../versions/commit-version.ts';
import { type PlacedHead, isBehind } from '../versions/displace.ts';
import { type PlaceChange, copyToPlace } from '../versions/own-place.ts';
import { ownRecord } from '../versions/upload-version.ts';
import type { WrittenObject } from '../versions/version-blob.ts';
import type { KeyRef } from '../records/key-ref.ts';

const EMPTY = new Uint8Array(0);

interface PublishTarget extends KeyRef {
  readonly request: PublishRequest;
  /** Called when a head may name the blob although no answer says so. */
  readonly onDoubt?: () => void;
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
 * The cost does not depend on the object's size.
 */
export function publishObject(context: ObjectsContext, target: PublishTarget, call: Call): Promise<Committed> {
  return target.bucket.versioning === 'enabled'
    ? publishVersion(context, target, call)
    : publishNull(context, target, call);
}

async function publishVersion(
  context: ObjectsContext,
  { bucket, key, request }: PublishTarget,
  call: Call,
): Promise<Committed> {
  const { version, size, etag, parts, once, known } = request;
  const parted = partsOf({ bucket, key }, request);
  const { native, headers } = parted;
  const record = {
    ...ownRecord({ bucket, key }, parted, { token: version, isNull: false }),
    etag,
    ...(parts && { parts }),
  };
  // Last-Modified stays the time of the initiation, whatever place the version gets.
  const mtime = mtimeOfSeq(seqOfToken(version));
  const move = async ({ written, ...change }: PlaceChange): Promise<WrittenObject> => {
    const beside = (await once?.movesTo(change.to)) ?? {};
    return copyToPlace(
      { bucket, key },
      { ...change, written: { ...written, record: { ...written.record, mtime } } },
      beside,
      call,
    );
  };
  const { token } = await commitVersion(
    context,
    {
      bucket,
      key,
      conditions: request.conditions,
      token: version,
      // The record has no `rev`: the blob has more than the head repeats, so a later stamp must read the blob.
      write: async () => ({ record, size, native, headers }),
      move,
      ...(request.unplaced === true && { unplaced: true }),
      known,
      ...(once && { nonce: once.nonce, already: once.happened, onDoubt: once.onDoubt, placeAt: once.placeAt }),
    },
    call,
  );
  return committed(request, token);
}

/**
 * Publishes the null version: the head becomes an mlink to the blob. Settling (moving the bytes to the key) follows in
 * the background. Even if the upload was initiated before the current version was made, its object gets a place above
 * that version.
 */
async function publishNull(
  context: ObjectsContext,
  { bucket, key, request, onDoubt }: PublishTarget,
  call: Call,
): Promise<Committed> {
  const { version } = request;
  const { ref, fields, native, headers } = partsOf({ bucket, key }, request);
  const age = new BlobAge(context, bucket);
  age.begin();
  let sent: SentHead | undefined;
  const { written } = await commitNull(
    context,
    {
      bucket,
      key,
      conditions: request.conditions,
      blob: version,
      beforeSend: () => age.requireYoung(),
      plan: async ({ seq, ...base }, { placed, condition }) => {
        const mlink: MlinkHead = {
          ...mlinkOf(request),
          ...fields,
          ...base,
          ...placeOf(version, { seq, placed }, base),
        };
        const metadata = await blobMetadata(bucket.home, mlink, native, call);
        return async () => {
          const result = await bucket.home.store.write(ref, EMPTY, { headers, metadata, condition }, call);
          sent = { result, head: () => parseHead(ref, { size: 0, ...headers, ...result, metadata }) };
          return result;
        };
      },
      ...(onDoubt && { onDoubt }),
      ...knownOf(request),
    },
    call,
  );
  if (request.settledByCaller !== true) context.settler.schedule({ bucket, key });
  return { ...committed(request, NULL_VERSION), ...unsettled(request, sent, written) };
}

/** A head that was found instead of an answer may have been amended since it was written. */
function unsettled(
  { settledByCaller }: PublishRequest,
  sent: SentHead | undefined,
  written: WriteResult | undefined,
): Pick<Committed, 'unsettled'> {
  if (settledByCaller !== true) return {};
  return { unsettled: sent !== undefined && sent.result === written ? { head: sent.head() } : {} };
}

function knownOf({ known, once }: PublishRequest): Pick<NewNull, 'known' | 'nonce' | 'already' | 'onDoubt'> {
  if (once === undefined) return { known };
  const { nonce, happened, onDoubt } = once;
  return { known, nonce, already: async (now) => (await happened(now)) !== undefined, onDoubt };
}

function mlinkOf({
  etag,
  size,
  version,
  parts,
}: PublishRequest): Pick<MlinkHead, 'kind' | 'etag' | 'size' | 'version'> {
  return { kind: 'mlink', etag, size, version, ...(parts && { parts }) };
}

/** The version's place in the history: its own one, or one above the head. Its time is its own in either case. */
function placeOf(
  version: VersionToken,
  { seq, placed }: { readonly seq: number; readonly placed: PlacedHead },
  base: { readonly floor?: number | undefined },
): Pick<MlinkHead, 'seq' | 'mtime' | 'floor'> {
  const place = seqOfToken(version);
  const at = isBehind(version, placed) ? { seq, mtime: mtimeOfSeq(place) } : { seq: place };
  return { ...at, ...(base.floor === seq && { floor: at.seq }) };
}

interface SentHead {
  readonly result: WriteResult;
  /** The head as a read would find it. */
  readonly head: () => Head;
}

function committed({ version, etag, checksum }: PublishRequest, versionId: string): Committed {
  return { etag, mtime: mtimeOfSeq(seqOfToken(version)), versionId, ...(checksum !== undefined && { checksum }) };
}

/**
 * Like `publishObject`, for a blob that this request has written itself. If the publication is refused for certain, the
 * blob is removed.
 */
export async function publishDetached(context: ObjectsContext, target: PublishTarget, call: Call): Promise<Committed> {
  const { bucket, key, request } = target;
  const named = { perhaps: false };
  const onDoubt = (): void => {
    named.perhaps = true;
  };
  try {
    return await publishNull(context, { ...target, onDoubt }, call);
  } catch (error) {
    if (!named.perhaps) context.settler.discard({ bucket, key }, request.version);
    throw error;
  }
}
