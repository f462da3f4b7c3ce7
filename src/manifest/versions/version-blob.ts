import type { Call } from '../../observe/call.ts';
import {
  ABSENT,
  type BlobProperties,
  type BlobRef,
  type ContentHeaders,
  type Revision,
  type WriteRequest,
  type WriteResult,
} from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import type { UploadBody } from '../../streams/bytes.ts';
import type { Bucket } from '../records/bucket.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { withOverflow } from '../heads/overflow.ts';
import { recordIn } from '../records/metadata.ts';
import { fieldsOf } from '../records/record-fields.ts';
import {
  type LinkHead,
  type OwnMarker,
  type OwnObject,
  type OwnRecord,
  type MarkerHead,
  asOwn,
  namedNull,
  namedVersion,
  objectFields,
} from '../records/record.ts';
import { versionRef } from '../records/version-names.ts';
import type { VersionToken } from '../records/version-token.ts';
import { type Head, NULL_VERSION, type RecordedBlob, viewOf, withRecord } from '../heads/head.ts';
import type { ObjectView } from '../records/object-view.ts';

/** Times a write of a blob that no other request writes is sent again after its answer was lost. */
const MAX_RESENDS = 2;

/** A version's own blob. */
export interface VersionBlob extends RecordedBlob<OwnRecord> {
  readonly token: VersionToken;
}

/** One that is known to be a version. */
export interface KnownVersion extends VersionBlob {
  readonly record: OwnRecord;
}

/** @throws RecordFormatError */
export function parseVersion(ref: BlobRef, token: VersionToken, properties: BlobProperties): VersionBlob {
  const record = recordIn(properties.metadata);
  return { ...withRecord({ ref, properties }, record && asOwn(record)), token };
}

/**
 * One call; one more for a record that spilled.
 * @returns undefined when there is none, or what lies there is no version yet
 */
export async function readVersion(place: KeyRef, token: VersionToken, call: Call): Promise<KnownVersion | undefined> {
  const { home } = place.bucket;
  const ref = versionRef(place, token);
  try {
    const version = parseVersion(ref, token, await home.store.head(ref, call));
    const { record } = version;
    return record === undefined ? undefined : await withOverflow(home, { ...version, record }, call);
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  }
}

/** What an object's own blob stands for. */
export function versionView(place: KeyRef, version: VersionBlob): ObjectView {
  return { ...viewOf(version, place), versionId: versionIdOf(version) };
}

export function versionIdOf({ token, record }: Pick<VersionBlob, 'token' | 'record'>): string {
  return record?.isNull === true ? NULL_VERSION : token;
}

/** What proves amendments of a version: their nonces on its own blob, the last one first. */
export function amendmentsOf({ token, record }: KnownVersion): {
  readonly token: VersionToken;
  readonly ring: readonly string[];
} {
  return { token, ring: record.kind === 'inline' ? (record.ring ?? []) : [] };
}

/**
 * The whole reader rule (docs/decisions/0007-versions.md): whether a version's own blob belongs to the key's
 * history, given its head. Without a head nothing does that the protocol made; what is stamped and has
 * survived its head (a tool of the cloud removed it) is shown rather than lost.
 */
export function isVisible(head: Head | undefined, { token, record }: Pick<VersionBlob, 'token' | 'record'>): boolean {
  if (record === undefined) return false;
  const at = head?.record;
  if (at?.kind === 'void') return false;
  if (namedVersion(at) === token) return true;
  if (at?.dels?.includes(token) === true) return false;
  if (record.isNull === true) return namedNull(at) === token;
  return record.stamp === true || at?.adds?.includes(token) === true;
}

/** What a version's own blob says of itself, from the head that names it. */
export function versionRecordOf(link: LinkHead | MarkerHead): OwnRecord {
  return { kind: link.kind === 'marker' ? 'marker' : 'inline', ...objectFields(link), ...fieldsOf<'own'>(link, 'own') };
}

interface OwnWrite {
  readonly body: UploadBody;
  readonly request: WriteRequest;
}

/** A write under a name that is used once. After a lost answer it is sent again, if the body is in memory. */
export async function writeOwn(
  bucket: Bucket,
  ref: BlobRef,
  { body, request }: OwnWrite,
  call: Call,
): Promise<WriteResult> {
  const { store } = bucket.home;
  for (let sends = 0; ; sends++) {
    try {
      return await store.write(ref, body, { ...request, condition: ABSENT }, call);
    } catch (error) {
      if (!isStoreError(error)) throw error;
      if (sends > 0 && error.kind === 'conditionFailed') return store.head(ref, call);
      if (error.kind === 'conditionFailed') {
        throw new StoreError('unexpected', { call: 'write', code: 'NameInUse', cause: error });
      }
      if (!error.lost || !(body instanceof Uint8Array) || sends === MAX_RESENDS) throw error;
    }
  }
}

/** What has just been written to a version's own blob, as the head will repeat it. */
interface Written {
  readonly native: Readonly<Record<string, string>>;
  readonly headers: ContentHeaders;
  /** Revision of the blob; absent when a head may not rely on it. */
  readonly revision?: Revision;
}

export interface WrittenObject extends Written {
  /** The ETag is there also where the blob does not say it, because the service keeps it. */
  readonly record: OwnObject & { readonly etag: string };
  /** Bytes. */
  readonly size: number;
}

export interface WrittenMarker extends Written {
  readonly record: OwnMarker;
}

export type WrittenVersion = WrittenObject | WrittenMarker;

export function isWrittenObject(written: WrittenVersion): written is WrittenObject {
  return written.record.kind === 'inline';
}
