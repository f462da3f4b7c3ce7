import type { Call } from '../../observe/call.ts';
import { type BlobMetadata, type BlobProperties, type BlobRef, at } from '../../store/blob-store.ts';
import { isStoreError, mayHaveHappened } from '../../store/store-error.ts';
import { type AnnouncedChange, announce, confirm, isWatched, withdraw } from '../heads/announce.ts';
import { RING_LENGTH, noncesAmended } from '../heads/head-commit.ts';
import { NULL_VERSION, contentHeadersOf, recordIsHere } from '../heads/head.ts';
import { readHead } from '../heads/object-read.ts';
import type { Standing } from '../heads/object-requests.ts';
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
import { nullBlobOf, seqOfHead } from '../versions/displace.ts';
import { placedRecord } from '../versions/drain-window.ts';
import type { ObjectsContext } from '../versions/object-context.ts';
import { copyToOwn } from '../versions/own-copy.ts';
import { amendmentsOf, readVersion } from '../versions/version-blob.ts';
import { type AmendedFields, toldOf } from '../versions/object-amendment.ts';
import { canSettle } from '../versions/settle.ts';
import { requireStanding } from '../versions/standing.ts';
import { amendObject } from './object-amend.ts';
import { repeatInHead } from './object-restore.ts';

const EMPTY = new Uint8Array(0);
const STANDARD = 'STANDARD';

/**
 * What became of a change of class. `same`: the version has it already. `moved`: it is not what was judged any more, or
 * is yet to be settled. The others say why it cannot be: classes are `labels`; the account `refused` the tier; no one
 * call of the service copies it onto itself (`tooLarge`); its bytes are `encrypted` with a key of their own, and cannot
 * be copied; or they are `archived`, and have to be restored before.
 */
export type ClassChange = 'changed' | 'same' | 'moved' | ClassHindrance;
export type ClassHindrance = 'labels' | 'refused' | 'tooLarge' | 'encrypted' | 'archived';

export interface ClassRequest {
  readonly storageClass: string;
  /** The place that a noncurrent version must still have. */
  readonly standing?: Standing;
}

interface ClassTarget extends ClassRequest {
  readonly bucket: Bucket;
  /** As it was judged, by `find`. */
  readonly view: ObjectView;
}

/**
 * Changes the storage class of a version in place: by a copy onto itself, by moving its bytes into an archived piece,
 * or where the tier stays, in its record alone. Bytes, ETag, version id and Last-Modified stay. One write of the blob
 * that has its record commits, on condition of the revision of the view; a head that repeats the record follows. If an
 * answer is lost, it is unknown whether the class was changed; it may be asked for again.
 * @throws StoreError; S3Error PreconditionFailed: the version does not stand where it stood
 */
export async function changeClass(context: ObjectsContext, target: ClassTarget, call: Call): Promise<ClassChange> {
  const { bucket, view, storageClass } = target;
  const { classes } = bucket.home;
  if (classes === undefined) return 'labels';
  const place = { bucket, key: view.key };
  const said = storageClass === STANDARD ? undefined : storageClass;
  const { encryption, pieces, restore } = view;
  if (view.storageClass === said) {
    // The head may lag behind, if the change was broken off.
    await repeatInHead(place, view, { storageClass: said, encryption, pieces, restore } as ClassFields, call);
    return 'same';
  }
  const [before, after] = [tierOfClass(classes, view.storageClass), tierOfClass(classes, storageClass)];
  const hindrance = hindranceOf(target, before === after);
  if (hindrance !== undefined) return hindrance;
  try {
    if (before === after) return await relabel(context, target, said, call);
    const kept = await keptAt(context, target, call);
    if (kept === undefined) return 'moved';
    const announced = await announce(place, { ...kept.change, ...toldOf(view, moved(said)) }, call);
    const fields = await (after === 'archive'
      ? archive(context, place, { kept, view, said }, call)
      : retier(place, kept, said, call));
    if (kept.change.own !== undefined) await confirm(bucket, announced, call);
    await repeatInHead(place, view, fields, call);
    return 'changed';
  } catch (error) {
    const hindered = isStoreError(error, 'tooLarge', 'tierRefused');
    // Rules ask again and again for what the account does not have.
    if (hindered) withdraw(place, context.settler, call);
    if (hindered) return error.kind === 'tooLarge' ? 'tooLarge' : 'refused';
    if (isStoreError(error, 'conditionFailed', 'sourceConditionFailed', 'sourceNotFound', 'notFound')) return 'moved';
    throw error;
  }
}

/** Why a version cannot be changed, or its bytes not be brought into another tier. */
function hindranceOf({ bucket, view }: ClassTarget, isSameTier: boolean): ClassChange | undefined {
  // A tool of the cloud archived the blob that has the record, which cannot be changed now.
  if (view.archived && view.encryption === undefined) return 'archived';
  if (isSameTier) return undefined;
  if (view.encryption !== undefined) return view.encryption.by.kind === 'archive' ? 'archived' : 'encrypted';
  if (view.head.kind === 'assembled') return canSettle(bucket, view.size) ? 'moved' : 'tooLarge';
  return undefined;
}

/** Into a class of the same tier: only the record says another. */
async function relabel(
  context: ObjectsContext,
  { bucket, view, standing }: ClassTarget,
  said: string | undefined,
  call: Call,
): Promise<ClassChange> {
  const { key, versionId } = view;
  const target = { bucket, key, versionId };
  if (standing !== undefined) await requireStanding(target, { standing }, await readHead(target, call), call);
  const fields = moved(said);
  const found = { isSame: false };
  const amendment = (now: ObjectView): typeof fields | undefined => {
    found.isSame = now.bytes.revision === view.bytes.revision;
    return found.isSame ? fields : undefined;
  };
  await amendObject(context, target, amendment, call);
  if (!found.isSame) return 'moved';
  await repeatInHead(target, view, { storageClass: said } as ClassFields, call);
  return 'changed';
}

function moved(said: string | undefined): AmendedFields {
  return { storageClass: said, tell: ['moved'] };
}

/** The blob that has a version's bytes and its record, with the record as a change of it begins. */
interface Kept {
  readonly ref: BlobRef;
  readonly properties: BlobProperties;
  readonly record: InlineHead | OwnObject;
  /** Proves that it was changed. */
  readonly change: Pick<AnnouncedChange, 'nonce' | 'head' | 'own' | 'seq'>;
}

/** @returns undefined: it is not what was judged. @throws StoreError */
async function keptAt(
  context: ObjectsContext,
  { bucket, view: { key, versionId, bytes }, standing }: ClassTarget,
  call: Call,
): Promise<Kept | undefined> {
  const { revision } = bytes;
  const place = { bucket, key };
  const isLooked = versionId === NULL_VERSION || standing !== undefined || isWatched(place);
  const head = isLooked ? await readHead(place, call) : undefined;
  await requireStanding({ ...place, versionId }, { ...(standing && { standing }) }, head, call);
  const nonce = newNonce();
  if (versionId === NULL_VERSION && head !== undefined && recordIsHere(head)) {
    const record = await placedRecord(context, place, head, call);
    if (record.kind !== 'inline' || head.properties.revision !== revision) return undefined;
    const change = { nonce, head, seq: record.seq };
    return { ...head, record: { ...record, ...noncesAmended(head, nonce) }, change };
  }
  const token = versionId === NULL_VERSION ? nullBlobOf(head) : versionId;
  const version = token === undefined ? undefined : await readVersion(place, token, call);
  if (version?.record.kind !== 'inline' || version.properties.revision !== revision) return undefined;
  const { record } = version;
  const change = { nonce, head, own: amendmentsOf({ ...version, record }), seq: seqOfHead(head) };
  return { ...version, record: { ...record, ring: [nonce, ...(record.ring ?? [])].slice(0, RING_LENGTH) }, change };
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
