import type { KeyRef } from '../records/key-ref.ts';
import { type Head, NULL_VERSION, viewOf } from '../heads/head.ts';
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
export function currentEntry(place: KeyRef, head: Head): ListedVersion | ListedMarker {
  const { record } = head;
  if (record?.kind !== 'marker') return versionEntry(viewOf(head, place), true);
  const versionId = record.isNull === true ? NULL_VERSION : record.version;
  return markerEntry(place, { versionId, isLatest: true }, record);
}

/** A version that has a blob of its own. */
export function ownEntry(place: KeyRef, version: VersionBlob, isLatest: boolean): ListedVersion | ListedMarker {
  const { record } = version;
  if (record?.kind !== 'marker') return versionEntry(versionView(place, version), isLatest);
  return markerEntry(place, { versionId: versionIdOf(version), isLatest }, record);
}

function versionEntry(view: ObjectView, isLatest: boolean): ListedVersion {
  return { ...objectEntry(view), kind: 'version', versionId: view.versionId, isLatest };
}

function markerEntry(
  { bucket, key }: KeyRef,
  named: Pick<NamedVersion, 'versionId' | 'isLatest'>,
  { mtime, seq, owner }: OwnMarker | MarkerHead,
): ListedMarker {
  return { kind: 'marker', key, ...named, mtime: mtime ?? mtimeOfSeq(seq), ownerId: owner ?? bucket.ownerId };
}
