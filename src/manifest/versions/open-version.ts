import type { Call } from '../../observe/call.ts';
import type { BlobRef, ReadResult } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { ByteSource } from '../../streams/bytes.ts';
import type { Bucket } from '../records/bucket.ts';
import { headPlace } from '../records/names.ts';
import { LOCKED } from '../heads/pieces.ts';
import { hasSpilled, isOverflowMissing, withOverflow } from '../heads/overflow.ts';
import { versionRef } from '../records/version-names.ts';
import { type VersionToken, isVersionToken } from '../records/version-token.ts';
import { type Head, NULL_VERSION, parseHead, viewOf } from '../heads/head.ts';
import type { ObjectsContext } from './object-context.ts';
import { asNoSuchBucket, openView, readHead } from '../heads/object-read.ts';
import type { ObjectTarget, OpenRequest } from '../heads/object-requests.ts';
import type { ObjectView } from '../records/object-view.ts';
import { noSuchVersion } from './delete-marker-errors.ts';
import { type Guess, readBeside } from './read-beside.ts';
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
 * two for a version of its own that is current, at once if this process remembers which it was (`readBeside`). One more
 * when a record had spilled.
 */
export function openObject(
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
  return inTurns(TURNS.read, () => open(context, target, request, call));
}

/** `AGAIN`: the key has changed meanwhile. */
type OpenTurn = Promise<OpenedObject | typeof AGAIN>;

async function openCurrent(context: ObjectsContext, target: ObjectTarget, request: OpenRequest, call: Call): OpenTurn {
  const { bucket, key } = target;
  // A range of a head without bytes is an error of the service, so where such heads are likely the head comes first.
  if (request.range !== undefined && bucket.versioning !== 'never') return openLooking(context, target, request, call);
  const { ref } = headPlace({ bucket, key });
  const { head: read, guess } =
    bucket.versioning === 'never'
      ? { head: await readOrNone(bucket, ref, request, call) }
      : await readBeside(context.memory, target, {
          head: () => readOrNone(bucket, ref, request, call),
          ...readsOfVersion(target, request, call),
        });
  try {
    if (read === undefined) return await openBehind(context, { bucket, key, head: undefined }, request, call);
    const bare = orDiscard(read.body, () => parseHead(ref, read.properties));
    const kind = bare.record?.kind ?? 'inline';
    call.facts.noteHeadKind(ref.name, kind);
    if (kind === 'inline') {
      if (bucket.versioning !== 'never') context.memory.note(target, bare);
      const head = hasSpilled(bare) ? await wholeOrAgain(bucket, { bare, body: read.body }, call) : bare;
      return head === AGAIN ? AGAIN : unlessEncrypted(viewOf(head, { bucket, key }), read.body);
    }
    read.body.discard();
    const head = await withOverflow(bucket.home, bare, call);
    return await openBehind(context, { bucket, key, head, guess }, request, call);
  } finally {
    guess?.release();
  }
}

/** How a version's own blob is opened, and given up. */
function readsOfVersion(
  place: KeyRef,
  request: OpenRequest,
  call: Call,
): { version: (token: VersionToken) => Promise<ReadResult>; discard: (result: ReadResult) => void } {
  return {
    version: (token) => place.bucket.home.store.read(versionRef(place, token), request, call),
    discard: ({ body }) => body.discard(),
  };
}

function wholeOrAgain(
  { home }: Bucket,
  { bare, body }: { readonly bare: Head; readonly body: ByteSource },
  call: Call,
): Promise<Head | typeof AGAIN> {
  return withOverflow(home, bare, call).catch((error: unknown) => {
    body.discard();
    if (!isOverflowMissing(error)) throw error;
    return AGAIN;
  });
}

async function openLooking(context: ObjectsContext, target: ObjectTarget, request: OpenRequest, call: Call): OpenTurn {
  const { bucket, key } = target;
  const { head, guess } = await readBeside(context.memory, target, {
    head: () => readHead({ bucket, key }, call),
    ...readsOfVersion(target, request, call),
  });
  try {
    return await openBehind(context, { bucket, key, head, guess }, request, call);
  } finally {
    guess?.release();
  }
}

/** A head, and its version's own blob when it was asked for already. */
interface Opening extends HeadAt {
  readonly guess?: Guess<ReadResult> | undefined;
}

/** The bytes that a head stands for, wherever they lie. */
async function openBehind(
  context: ObjectsContext,
  { bucket, key, head, guess }: Opening,
  request: OpenRequest,
  call: Call,
): OpenTurn {
  const { record } = head ?? {};
  if (guess === undefined && bucket.versioning !== 'never') context.memory.note({ bucket, key }, head);
  try {
    if (head !== undefined && (record === undefined || record.kind === 'inline' || record.kind === 'assembled')) {
      return await openPlain(bucket, viewOf(head, { bucket, key }), request, call);
    }
    if (record?.kind === 'link') {
      const ref = versionRef({ bucket, key }, record.version);
      const { properties, body } = await (guess?.take() ?? bucket.home.store.read(ref, request, call));
      const version = await orDiscardLater(body, () =>
        withOverflow(bucket.home, parseVersion(ref, record.version, properties), call),
      );
      return unlessEncrypted(versionView({ bucket, key }, version), body);
    }
    const version = await currentVersion(context, { bucket, key, head }, call);
    if (version === undefined) return AGAIN;
    return await openPlain(bucket, versionView({ bucket, key }, version), request, call);
  } catch (error) {
    if (isStoreError(error, 'notFound', 'conditionFailed') || isOverflowMissing(error)) return AGAIN;
    throw error;
  }
}

/** The null version, by name. */
async function openFound(context: ObjectsContext, target: ObjectTarget, request: OpenRequest, call: Call): OpenTurn {
  const view = await findObject(context, target, call);
  try {
    return await openPlain(target.bucket, view, request, call);
  } catch (error) {
    if (isStoreError(error, 'notFound', 'conditionFailed') || isOverflowMissing(error)) return AGAIN;
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
  return orDiscardLater(read.body, async () => {
    const bare = parseVersion(ref, token, read.properties);
    const version = await requireVisible(place, { ...(await withOverflow(bucket.home, bare, call)), token }, call);
    return unlessEncrypted(objectOf(version, place), read.body);
  });
}

function readOrNone(bucket: Bucket, ref: BlobRef, request: OpenRequest, call: Call): Promise<ReadResult | undefined> {
  return bucket.home.store.read(ref, request, call).catch((error: unknown) => {
    if (isStoreError(error, 'notFound')) return undefined;
    // Versions lie in the system container: that one says nothing of the bucket.
    throw ref.container === bucket.home.container ? asNoSuchBucket(error, bucket) : error;
  });
}

function orDiscard<T>(body: ByteSource, work: () => T): T {
  try {
    return work();
  } catch (error) {
    body.discard();
    throw error;
  }
}

async function orDiscardLater<T>(body: ByteSource, work: () => Promise<T>): Promise<T> {
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
