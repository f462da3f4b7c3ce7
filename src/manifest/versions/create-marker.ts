import { isS3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { newNonce } from '../records/clock.ts';
import { headPlace } from '../records/names.ts';
import { RECORD_NAME, type DeletionRecord, type OwnMarker, type MarkerHead, encodeRecord } from '../records/record.ts';
import { deletionRef, ownKey, versionRef } from '../records/version-names.ts';
import { type VersionToken, newToken, seqOfToken } from '../records/version-token.ts';
import { NULL_VERSION } from '../heads/head.ts';
import { listedHead } from '../heads/heads-of-keys.ts';
import type { ObjectsContext } from './object-context.ts';
import type { ObjectTarget, RemoveRequest, Removed } from '../heads/object-requests.ts';
import { commitNull } from './commit-null.ts';
import { commitVersion } from './commit-version.ts';
import { RemovalReason, removeVersionBlob } from './remove-blob.ts';
import { type WrittenMarker, writeOwn } from './version-blob.ts';
import type { KeyRef } from '../records/key-ref.ts';

const EMPTY = new Uint8Array(0);

/** DELETE without a version id: the marker is a version like any other, and becomes the current one. */
export async function createMarker(
  context: ObjectsContext,
  target: ObjectTarget,
  request: RemoveRequest,
  call: Call,
): Promise<Removed> {
  const create = target.bucket.versioning === 'enabled' ? createVersion : createNull;
  try {
    return { deleteMarker: true, versionId: await create(context, target, request, call) };
  } catch (error) {
    // A conditional delete of nothing succeeds, and makes nothing.
    if (request.conditions.ifMatch !== undefined && isS3Error(error, 'NoSuchKey')) return { deleteMarker: false };
    throw error;
  }
}

async function createVersion(
  context: ObjectsContext,
  { bucket, key }: ObjectTarget,
  { conditions, ownerId, listing }: RemoveRequest,
  call: Call,
): Promise<string> {
  const write = (token: VersionToken): Promise<WrittenMarker> =>
    writeMarker({ bucket, key }, { token, ownerId, isNull: false }, call);
  const known = listedHead(listing, key);
  return (await commitVersion(context, { kind: 'held', bucket, key, conditions, write, known }, call)).token;
}

/**
 * It takes the place of the null version; a new name for each turn, above the head that it finds. The last one goes,
 * unless a head may name it.
 */
async function createNull(
  context: ObjectsContext,
  { bucket, key }: ObjectTarget,
  { conditions, ownerId, listing }: RemoveRequest,
  call: Call,
): Promise<string> {
  const place = { bucket, key };
  const { ref, trueKey } = headPlace({ bucket, key });
  let unused: VersionToken | undefined;
  let mayBeNamed = false;
  await commitNull(
    context,
    {
      bucket,
      key,
      conditions,
      writes: 'held',
      content: 'marker',
      nonce: newNonce(),
      known: listedHead(listing, key),
      onDoubt: () => (mayBeNamed = true),
      plan: async (base, { condition }) => {
        if (unused !== undefined && !mayBeNamed) {
          await removeVersionBlob(place, unused, RemovalReason.neverNamed(unused), call);
        }
        const token = newToken(base.seq);
        unused = token;
        const { record, revision } = await writeMarker(place, { token, ownerId, isNull: true }, call);
        const marker: MarkerHead = {
          ...record,
          ...base,
          version: token,
          ...(revision && { rev: revision }),
          ...(trueKey !== undefined && { key: trueKey }),
        };
        return () =>
          bucket.home.store.write(ref, EMPTY, { metadata: { [RECORD_NAME]: encodeRecord(marker) }, condition }, call);
      },
    },
    call,
  );
  return NULL_VERSION;
}

interface MarkerRequest {
  readonly token: VersionToken;
  readonly ownerId: string;
  readonly isNull: boolean;
}

async function writeMarker(
  place: KeyRef,
  { token, ownerId, isNull }: MarkerRequest,
  call: Call,
): Promise<WrittenMarker> {
  const { bucket, key } = place;
  const record: OwnMarker = {
    kind: 'marker',
    seq: seqOfToken(token),
    ...(ownerId !== bucket.ownerId && { owner: ownerId }),
    ...(isNull && { isNull }),
    ...ownKey({ bucket, key }),
  };
  const request = { metadata: { [RECORD_NAME]: encodeRecord(record) } };
  const [{ revision }] = await Promise.all([
    writeOwn(bucket, versionRef({ bucket, key }, token), { body: EMPTY, request }, call),
    indexDeletion(place, seqOfToken(token), call),
  ]);
  return { record, native: {}, headers: {}, revision };
}

/**
 * Enters a key among those whose head may say that nothing is there. Always before such a head is written, and
 * written anew each time: that keeps a sweeper from removing it under a deletion that is under way.
 */
export async function indexDeletion({ bucket, key }: KeyRef, seq: number, call: Call): Promise<void> {
  const { ref, trueKey } = deletionRef({ bucket, key });
  const record: DeletionRecord = { kind: 'void', seq, ...(trueKey !== undefined && { key: trueKey }) };
  await bucket.home.store.write(ref, EMPTY, { metadata: { [RECORD_NAME]: encodeRecord(record) } }, call);
}
