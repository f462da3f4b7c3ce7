import type { Call } from '../../observe/call.ts';
import type { BlobRef, ReadResult } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { ByteSource } from '../../streams/bytes.ts';
import type { Bucket } from '../records/bucket.ts';
import { headPlace } from '../records/names.ts';
import { LOCKED } from '../heads/pieces.ts';
import { isOverflowMissing, withOverflow } from '../heads/overflow.ts';
import { versionRef } from '../records/version-names.ts';
import { isVersionToken } from '../records/version-token.ts';
import { NULL_VERSION, parseHead, viewOf } from '../heads/head.ts';
import type { ObjectsContext } from './object-context.ts';
import { asNoSuchBucket, openView, readHead } from '../heads/object-read.ts';
import type { ObjectTarget, OpenRequest } from '../heads/object-requests.ts';
import type { ObjectView } from '../records/object-view.ts';
import { noSuchVersion } from './delete-marker-errors.ts';
import { type HeadAt, currentVersion, findObject, objectOf, requireVisible } from './find-version.ts';
import { parseVersion, versionView } from './version-blob.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { AGAIN, TURNS, inTurns } from '../records/turns.ts';

export interface OpenedObject {
  readonly view: ObjectView;
  /** `LOCKED` of encrypted bytes: `openView` opens them, when it is known that the caller may have the object. */
  readonly body: ByteSource;
}

/**
 * Properties and bytes together. One call for an inline object, or a version named by its id that was stamped;
 * two for a version of its own that is current. One more when a record had spilled.
 */
export async function openObject(
  context: ObjectsContext,
  target: ObjectTarget,
  request: OpenRequest,
  call: Call,
): Promise<OpenedObject> {
  const { bucket, key, versionId } = target;
  if (versionId !== undefined && versionId !== NULL_VERSION) {
    return openByToken({ bucket, key }, { token: versionId, request }, call);
  }
  const open = versionId === undefined ? openCurrent : openFound;
  return inTurns(TURNS.read, async () => (await open(context, target, request, call)) ?? AGAIN);
}

/** @returns undefined when the key has changed meanwhile: look again */
async function openCurrent(
  context: ObjectsContext,
  target: ObjectTarget,
  request: OpenRequest,
  call: Call,
): Promise<OpenedObject | undefined> {
  const { bucket, key } = target;
  // A range of a head without bytes is an error of the service, so where such heads are likely the head comes first.
  if (request.range !== undefined && bucket.versioning !== 'never') return openLooking(context, target, request, call);
  const { ref } = headPlace({ bucket, key });
  const read = await readOrNone(bucket, ref, request, call);
  if (read === undefined) return openBehind(context, { ...target, head: undefined }, request, call);
  const bare = await orDiscard(read.body, () => parseHead(ref, read.properties));
  const kind = bare.record?.kind ?? 'inline';
  call.facts.noteHeadKind(ref.name, kind);
  if (kind === 'inline') {
    const head = await orDiscard(read.body, () => withOverflow(bucket.home, bare, call)).catch((error: unknown) => {
      if (!isOverflowMissing(error)) throw error;
    });
    if (head === undefined) return undefined;
    return unlessEncrypted(viewOf(head, { bucket, key }), read.body);
  }
  read.body.discard();
  return openBehind(context, { ...target, head: await withOverflow(bucket.home, bare, call) }, request, call);
}

async function openLooking(
  context: ObjectsContext,
  target: ObjectTarget,
  request: OpenRequest,
  call: Call,
): Promise<OpenedObject | undefined> {
  const { bucket, key } = target;
  return openBehind(context, { ...target, head: await readHead({ bucket, key }, call) }, request, call);
}

/** The bytes that a head stands for, wherever they lie. */
async function openBehind(
  context: ObjectsContext,
  { bucket, key, head }: HeadAt,
  request: OpenRequest,
  call: Call,
): Promise<OpenedObject | undefined> {
  const { record } = head ?? {};
  try {
    if (head !== undefined && (record === undefined || record.kind === 'inline' || record.kind === 'mlink')) {
      return await openPlain(bucket, viewOf(head, { bucket, key }), request, call);
    }
    if (record?.kind === 'link') {
      const ref = versionRef({ bucket, key }, record.version);
      const { properties, body } = await bucket.home.store.read(ref, request, call);
      const version = await orDiscard(body, () =>
        withOverflow(bucket.home, parseVersion(ref, record.version, properties), call),
      );
      return unlessEncrypted(versionView({ bucket, key }, version), body);
    }
    const version = await currentVersion(context, { bucket, key, head }, call);
    if (version === undefined) return undefined;
    return await openPlain(bucket, versionView({ bucket, key }, version), request, call);
  } catch (error) {
    if (isStoreError(error, 'notFound', 'conditionFailed') || isOverflowMissing(error)) return undefined;
    throw error;
  }
}

/** The null version, by name. */
async function openFound(
  context: ObjectsContext,
  target: ObjectTarget,
  request: OpenRequest,
  call: Call,
): Promise<OpenedObject | undefined> {
  const view = await findObject(context, target, call);
  try {
    return await openPlain(target.bucket, view, request, call);
  } catch (error) {
    if (isStoreError(error, 'notFound', 'conditionFailed') || isOverflowMissing(error)) return undefined;
    throw error;
  }
}

async function openByToken(
  place: KeyRef,
  { token, request }: { readonly token: string; readonly request: OpenRequest },
  call: Call,
): Promise<OpenedObject> {
  const { bucket, key } = place;
  const ref = versionRef({ bucket, key }, token);
  const read = isVersionToken(token) ? await readOrNone(bucket, ref, request, call) : undefined;
  if (read === undefined) throw noSuchVersion(key, token);
  return orDiscard(read.body, async () => {
    const bare = parseVersion(ref, token, read.properties);
    const version = await requireVisible(place, { ...(await withOverflow(bucket.home, bare, call)), token }, call);
    return unlessEncrypted(objectOf(version, place), read.body);
  });
}

async function readOrNone(
  bucket: Bucket,
  ref: BlobRef,
  request: OpenRequest,
  call: Call,
): Promise<ReadResult | undefined> {
  try {
    return await bucket.home.store.read(ref, request, call);
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    // Versions lie in the system container: that one says nothing of the bucket.
    throw ref.container === bucket.home.container ? asNoSuchBucket(error, bucket) : error;
  }
}

async function orDiscard<T>(body: ByteSource, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    body.discard();
    throw error;
  }
}

/** @param body of the blob that was read, which has no bytes if they lie elsewhere */
function unlessEncrypted(view: ObjectView, body: ByteSource): OpenedObject {
  if (view.encryption === undefined) return { view, body };
  body.discard();
  return { view, body: LOCKED };
}

async function openPlain(bucket: Bucket, view: ObjectView, request: OpenRequest, call: Call): Promise<OpenedObject> {
  return { view, body: view.encryption === undefined ? await openView(bucket, view, request, call) : LOCKED };
}
