import type { Call } from '../../observe/call.ts';
import { isVersionToken } from '../records/version-token.ts';
import { type Head, NULL_VERSION } from '../heads/head.ts';
import type { ObjectsContext } from './object-context.ts';
import { liveView, noSuchKey, readHead } from '../heads/object-read.ts';
import type { ObjectTarget } from '../heads/object-requests.ts';
import type { ObjectView } from '../records/object-view.ts';
import { markerNamed, markerOnTop, noSuchVersion } from './delete-marker-errors.ts';
import { nullBlobOf } from './displace.ts';
import { survivingVersion } from './drain-window.ts';
import { readBeside } from './read-beside.ts';
import { type KnownVersion, type VersionBlob, isVisible, readVersion, versionView } from './version-blob.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { AGAIN, TURNS, inTurns } from '../records/turns.ts';

/**
 * What is known of an object without its bytes. Current: head, and for a version of its own that version's blob, beside
 * it if this process remembers which (`readBeside`).
 * By id: that blob, and the head as long as it is not stamped.
 * @throws S3Error NoSuchKey, NoSuchVersion, MethodNotAllowed (a delete marker, by id)
 */
export function findObject(context: ObjectsContext, target: ObjectTarget, call: Call): Promise<ObjectView> {
  const { versionId } = target;
  if (versionId === undefined) return findCurrent(context, target, call);
  return versionId === NULL_VERSION ? findNull(target, call) : findByToken(target, versionId, call);
}

function findCurrent(context: ObjectsContext, { bucket, key }: KeyRef, call: Call): Promise<ObjectView> {
  const place = { bucket, key };
  return inTurns(TURNS.read, async () => {
    const { head, guess } =
      bucket.versioning === 'never'
        ? { head: await readHead(place, call) }
        : await readBeside(context.memory, place, {
            head: () => readHead(place, call),
            version: (token) => readVersion(place, token, call),
            discard: () => undefined,
          });
    if (guess === undefined) context.memory.note(place, head);
    const view = liveView(place, head);
    if (view !== undefined && head?.record?.kind !== 'link') return view;
    const version = await (guess?.take() ?? currentVersion(context, { ...place, head }, call));
    return version === undefined ? AGAIN : versionView(place, version);
  });
}

/** A key with its head as it was read. */
export interface HeadAt extends KeyRef {
  readonly head: Head | undefined;
}

/**
 * The version's own blob that a head without bytes stands for, if that is an object.
 * @returns undefined when it has gone meanwhile: look again
 * @throws S3Error NoSuchKey
 */
export async function currentVersion(
  context: ObjectsContext,
  { bucket, key, head }: HeadAt,
  call: Call,
): Promise<KnownVersion | undefined> {
  if (head?.record?.kind === 'marker') throw markerOnTop(key, head);
  const token = head?.record?.kind === 'link' ? head.record.version : undefined;
  if (token !== undefined) return readVersion({ bucket, key }, token, call);
  const survivor = head === undefined ? await survivingVersion(context, { bucket, key }, call) : undefined;
  if (survivor === undefined) throw noSuchKey(key);
  if (survivor.record?.kind === 'marker') throw markerOnTop(key, survivor);
  return readVersion({ bucket, key }, survivor.token, call);
}

/** The null version through the head: it is the only one that says which blob that is. */
function findNull({ bucket, key }: KeyRef, call: Call): Promise<ObjectView> {
  return inTurns(TURNS.read, async () => {
    const head = await readHead({ bucket, key }, call);
    const kind = head?.record?.kind ?? 'inline';
    const view = liveView({ bucket, key }, head);
    if (view !== undefined && kind !== 'link') return view;
    const token = nullBlobOf(head);
    if (token === undefined) throw noSuchVersion(key, NULL_VERSION);
    const version = await readVersion({ bucket, key }, token, call);
    return version === undefined ? AGAIN : objectOf(version, { bucket, key });
  });
}

async function findByToken(place: KeyRef, versionId: string, call: Call): Promise<ObjectView> {
  const { bucket, key } = place;
  const version = isVersionToken(versionId) ? await readVersion({ bucket, key }, versionId, call) : undefined;
  if (version === undefined) throw noSuchVersion(key, versionId);
  return objectOf(await requireVisible(place, version, call), place);
}

/** A version that is named by its id, once it is known to belong to the history. @throws S3Error NoSuchVersion */
export async function requireVisible({ bucket, key }: KeyRef, version: VersionBlob, call: Call): Promise<VersionBlob> {
  const { token, record } = version;
  if (record === undefined || record.isNull === true) throw noSuchVersion(key, token);
  if (record.stamp === true) return version;
  const head = await readHead({ bucket, key }, call);
  if (isVisible(head, version)) return version;
  // It may have been displaced, and stamped, between the two looks.
  const again = await readVersion({ bucket, key }, token, call);
  if (again?.record.stamp !== true) throw noSuchVersion(key, token);
  return again;
}

/** @throws S3Error MethodNotAllowed for a delete marker */
export function objectOf(version: VersionBlob, { bucket, key }: KeyRef): ObjectView {
  if (version.record?.kind === 'marker') throw markerNamed(version);
  return versionView({ bucket, key }, version);
}
