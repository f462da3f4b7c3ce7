import type { KeyRef } from '../records/key-ref.ts';
import { type Head, NULL_VERSION, viewOf } from '../heads/head.ts';
import { hasSpilled } from '../heads/overflow.ts';
import { type VersionBlob, versionIdOf, versionView } from '../versions/version-blob.ts';
import { mtimeOfSeq } from '../records/clock.ts';
import type { OwnMarker, MarkerHead } from '../records/record.ts';
import type { ObjectView } from '../records/object-view.ts';
import { type ListedObject, type ListedPrefix, objectEntry } from './listing-entry.ts';

interface NamedVersion {
  readonly key: string;
  /** `null`, or the version's token. */
  readonly versionId: string;
  readonly isLatest: boolean;
}

export interface ListedVersion extends NamedVersion, Omit<ListedObject, 'kind' | 'key'> {
  readonly kind: 'version';
  /** Where the request asks for it (`withViews`): all that the blobs that were listed say of the version. */
  readonly view?: ListedView;
}

/** A version as a listing shows it to who asks for more than ListObjectVersions does. */
export interface ListedView extends ObjectView {
  /**
   * More is said of the version elsewhere: tags, ACL and parts that spilled, or, of what a head repeats of a version,
   * lock, tags and ACL as they are by now. Reading the version tells.
   */
  readonly isPartial: boolean;
}

/** A delete marker. */
export interface ListedMarker extends NamedVersion {
  readonly kind: 'marker';
  /** Milliseconds, whole seconds. */
  readonly mtime: number;
  /** Canonical id. */
  readonly ownerId: string;
}

export type VersionsEntry = ListedVersion | ListedMarker | ListedPrefix;

/** The version that a head names or is; a link repeats all that a listing shows. */
export function currentEntry(place: KeyRef, head: Head, withViews?: boolean): ListedVersion | ListedMarker {
  const { record } = head;
  if (record?.kind !== 'marker') {
    const isPartial = record?.kind === 'link' || hasSpilled(head);
    return versionEntry(viewOf(head, place), { isLatest: true, isPartial, withViews });
  }
  const versionId = record.isNull === true ? NULL_VERSION : record.version;
  return markerEntry(place, { versionId, isLatest: true }, record);
}

/** A version that has a blob of its own. */
export function ownEntry(
  place: KeyRef,
  version: VersionBlob,
  { isLatest, withViews }: Pick<Shown, 'isLatest' | 'withViews'>,
): ListedVersion | ListedMarker {
  const { record } = version;
  if (record?.kind !== 'marker') {
    return versionEntry(versionView(place, version), { isLatest, isPartial: hasSpilled(version), withViews });
  }
  return markerEntry(place, { versionId: versionIdOf(version), isLatest }, record);
}

interface Shown {
  readonly isLatest: boolean;
  readonly isPartial: boolean;
  readonly withViews: boolean | undefined;
}

function versionEntry(view: ObjectView, { isLatest, isPartial, withViews }: Shown): ListedVersion {
  const entry: ListedVersion = { ...objectEntry(view), kind: 'version', versionId: view.versionId, isLatest };
  return withViews === true ? { ...entry, view: { ...view, isPartial } } : entry;
}

function markerEntry(
  { bucket, key }: KeyRef,
  named: Pick<NamedVersion, 'versionId' | 'isLatest'>,
  { mtime, seq, owner }: OwnMarker | MarkerHead,
): ListedMarker {
  return { kind: 'marker', key, ...named, mtime: mtime ?? mtimeOfSeq(seq), ownerId: owner ?? bucket.ownerId };
}
