import type { Call } from '../../observe/call.ts';
import { type BlobMetadata, type BlobProperties, type BlobRef, at } from '../../store/blob-store.ts';
import { isStoreError, mayHaveHappened } from '../../store/store-error.ts';
import { RING_LENGTH, noncesAmended } from '../heads/head-commit.ts';
import { NULL_VERSION, contentHeadersOf, recordIsHere } from '../heads/head.ts';
import { readHead } from '../heads/object-read.ts';
import { blobMetadata } from '../heads/overflow.ts';
import { removePieces } from '../heads/pieces.ts';
import type { Bucket } from '../records/bucket.ts';
import { newNonce } from '../records/clock.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { claimIn, nativeIn } from '../records/metadata.ts';
import type { ObjectView } from '../records/object-view.ts';
import { newPieceId, pieceRef } from '../records/piece-names.ts';
import type { FieldsOf } from '../records/record-fields.ts';
import type { InlineHead, OwnObject } from '../records/record.ts';
import { tierOfClass } from '../records/storage-classes.ts';
import { newToken } from '../records/version-token.ts';
import { nullBlobOf } from '../versions/displace.ts';
import { placedRecord } from '../versions/drain-window.ts';
import type { ObjectsContext } from '../versions/object-context.ts';
import { copyToOwn } from '../versions/own-copy.ts';
import { readVersion } from '../versions/version-blob.ts';
import { repeatInHead } from './object-restore.ts';

const EMPTY = new Uint8Array(0);
const STANDARD = 'STANDARD';

/**
 * What became of a change of class. `same`: the version has it, or classes are labels. `moved`: the version is not what
 * was judged any more. `tooLarge`: no one call of the service copies it onto itself. `apart`: its bytes are in pieces,
 * archived, or yet to be settled.
 */
export type ClassChange = 'changed' | 'same' | 'moved' | 'tooLarge' | 'apart';

interface ClassTarget {
  readonly bucket: Bucket;
  /** As it was judged, by `find`. */
  readonly view: ObjectView;
  readonly storageClass: string;
}

/**
 * Changes the storage class of a version in place: by a copy onto itself, or by moving its bytes into an archived
 * piece. Bytes, ETag, version id and Last-Modified stay. One write of the blob that has its record commits, on
 * condition of the revision of the view; a head that repeats the record follows. If an answer is lost, it is unknown
 * whether the class was changed; it may be asked for again.
 * @throws StoreError
 */
export async function changeClass(
  context: ObjectsContext,
  { bucket, view, storageClass }: ClassTarget,
  call: Call,
): Promise<ClassChange> {
  const { classes } = bucket.home;
  if (classes === undefined || (view.storageClass ?? STANDARD) === storageClass) return 'same';
  if (view.encryption !== undefined || view.archived || view.bytes.revision === undefined) return 'apart';
  const place = { bucket, key: view.key };
  try {
    const kept = await keptAt(context, place, view, call);
    if (kept === undefined) return 'moved';
    const said = storageClass === STANDARD ? undefined : storageClass;
    const isArchive = tierOfClass(classes, storageClass) === 'archive';
    const fields = await (isArchive
      ? archive(context, place, { kept, view, said }, call)
      : retier(place, kept, said, call));
    await repeatInHead(place, view, fields, call);
    return 'changed';
  } catch (error) {
    if (isStoreError(error, 'tooLarge')) return 'tooLarge';
    if (isStoreError(error, 'conditionFailed', 'sourceConditionFailed', 'sourceNotFound', 'notFound')) return 'moved';
    throw error;
  }
}

/** The blob that has a version's bytes and its record, with the record as a change of it begins. */
interface Kept {
  readonly ref: BlobRef;
  readonly properties: BlobProperties;
  readonly record: InlineHead | OwnObject;
}

/** @returns undefined: it is not what was judged. @throws StoreError */
async function keptAt(
  context: ObjectsContext,
  place: KeyRef,
  { versionId, bytes: { revision } }: ObjectView,
  call: Call,
): Promise<Kept | undefined> {
  const head = versionId === NULL_VERSION ? await readHead(place, call) : undefined;
  const nonce = newNonce();
  if (head !== undefined && recordIsHere(head)) {
    const record = await placedRecord(context, place, head, call);
    if (record.kind !== 'inline' || head.properties.revision !== revision) return undefined;
    return { ...head, record: { ...record, ...noncesAmended(head, nonce) } };
  }
  const token = versionId === NULL_VERSION ? nullBlobOf(head) : versionId;
  const version = token === undefined ? undefined : await readVersion(place, token, call);
  if (version?.record.kind !== 'inline' || version.properties.revision !== revision) return undefined;
  const { record } = version;
  return { ...version, record: { ...record, ring: [nonce, ...(record.ring ?? [])].slice(0, RING_LENGTH) } };
}

type ClassFields = Pick<FieldsOf<'said' | 'shown'>, 'storageClass' | 'encryption' | 'pieces'>;

async function metadataOf(
  place: KeyRef,
  { properties }: Kept,
  record: Kept['record'],
  call: Call,
): Promise<BlobMetadata> {
  const { metadata } = properties;
  return { ...(await blobMetadata(place.bucket.home, record, nativeIn(metadata), call)), ...claimIn(metadata) };
}

/** The tier goes with the copy, by what the record says (`tiered-store.ts`). */
async function retier(place: KeyRef, kept: Kept, said: string | undefined, call: Call): Promise<ClassFields> {
  const { ref, properties, record } = kept;
  const { revision, size, md5 } = properties;
  const fields = { storageClass: said };
  const metadata = await metadataOf(place, kept, { ...record, ...fields } as Kept['record'], call);
  const request = {
    source: { ...ref, revision, size },
    size,
    headers: contentHeadersOf(properties),
    sameHeaders: true,
    metadata,
    ...(md5 !== undefined && { md5 }),
    condition: at(revision),
  };
  await place.bucket.home.store.copy(ref, request, call);
  return fields as ClassFields;
}

/** The bytes first, as a piece that nothing names; then the record that names it, on a blob without bytes. */
async function archive(
  context: ObjectsContext,
  place: KeyRef,
  { kept, view, said }: { readonly kept: Kept; readonly view: ObjectView; readonly said: string | undefined },
  call: Call,
): Promise<ClassFields> {
  const { store } = place.bucket.home;
  const { ref, properties } = kept;
  const { size, revision } = properties;
  const token = newToken(context.clock.next());
  const id = newPieceId();
  const bare = { headers: {}, metadata: {}, tier: 'archive' } as const;
  try {
    if (size > 0) {
      const source = { ...ref, revision, size };
      await copyToOwn(store, { target: pieceRef(place, token, id), source, size, ...bare }, call);
    }
    const encryption = { by: { kind: 'archive' }, size, token } as const;
    const fields = { storageClass: said, encryption, pieces: size > 0 ? [{ id, size }] : [] };
    const record = { ...kept.record, ...fields, etag: view.etag } as Kept['record'];
    const metadata = await metadataOf(place, kept, record, call);
    await store.write(ref, EMPTY, { headers: contentHeadersOf(properties), metadata, condition: at(revision) }, call);
    return fields as ClassFields;
  } catch (error) {
    if (!mayHaveHappened(error)) {
      context.settler.later(`pieces ${token}`, (own) => removePieces(place, token, own));
    }
    throw error;
  }
}
