import type { Call } from '../../observe/call.ts';
import type { BlobEntry, BlobRef } from '../../store/blob-store.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import { type Head, NULL_VERSION, isLive, mtimeOf, recordIsHere, viewOf } from '../heads/head.ts';
import type { HeadAt } from '../versions/find-version.ts';
import { type VersionBlob, isVisible, parseVersion, versionIdOf, versionView } from '../versions/version-blob.ts';
import { mtimeOfSeq } from '../records/clock.ts';
import { withOverflow } from '../heads/overflow.ts';
import { isStamped, namedVersion, saysNull } from '../records/record.ts';
import { versionRef, versionsOfKey } from '../records/version-names.ts';
import { isVersionToken, seqOfToken } from '../records/version-token.ts';
import { decodeClaim } from '../versions/upload-claim.ts';
import type { InspectedKey, InspectedVersion } from './inspected-key.ts';

/** Most own blobs that are looked at. */
const MAX_VERSIONS = 200;
const CONCURRENCY = 8;

interface VersionsOf extends HeadAt {
  /** Without a head, the newest stamped version counts as current. */
  readonly survivorIsCurrent: boolean;
}

/**
 * The current version of a key, from its head, and all own blobs of versions. One list call, and one for each record
 * that spilled.
 */
export async function inspectVersions(
  key: VersionsOf,
  call: Call,
): Promise<Pick<InspectedKey, 'versions' | 'moreVersions'>> {
  const { entries, more } = await listOwn(key, call);
  const own = await mapConcurrent(entries, CONCURRENCY, (entry) => inspectOwn(key, entry, call));
  const bytesOfHead = blobOfAssembled(key);
  const versions = own.filter(({ ref }) => ref.name !== bytesOfHead);
  if (key.survivorIsCurrent) return { versions: withCurrentSurvivor(versions), moreVersions: more };
  const current = currentInHead(key, versions, more);
  return {
    versions: current === undefined ? newestCurrentFirst(versions) : [current, ...versions],
    moreVersions: more,
  };
}

/**
 * In the order of their tokens, newest first. Blobs with other names (staged parts on some backends) are not versions.
 */
async function listOwn({ bucket, key }: VersionsOf, call: Call): Promise<{ entries: BlobEntry[]; more: boolean }> {
  const { store, system } = bucket.home;
  const { prefix } = versionsOfKey({ bucket, key });
  const entries: BlobEntry[] = [];
  let token: string | undefined;
  do {
    const page = await store.list(
      system,
      { prefix, limit: MAX_VERSIONS + 1, ...(token !== undefined && { token }) },
      call,
    );
    entries.push(
      ...page.entries
        .filter((entry) => entry.kind === 'blob')
        .filter(({ name }) => isVersionToken(name.slice(prefix.length))),
    );
    token = page.nextToken;
  } while (token !== undefined && entries.length <= MAX_VERSIONS);
  return { entries: entries.slice(0, MAX_VERSIONS), more: entries.length > MAX_VERSIONS };
}

async function inspectOwn(at: VersionsOf, entry: BlobEntry, call: Call): Promise<InspectedVersion> {
  const { bucket, key, head } = at;
  const ref: BlobRef = { container: bucket.home.system, name: entry.name };
  const token = entry.name.slice(versionsOfKey({ bucket, key }).prefix.length);
  const place = { ref, revision: entry.revision };
  try {
    const bare = parseVersion(ref, token, entry);
    const { blob, problem } = await whole(bare, at, call);
    const { record } = blob;
    const claim = decodeClaim(entry.metadata)?.kind;
    const isMarker = record?.kind === 'marker';
    return {
      versionId: versionIdOf(blob),
      isCurrent: namedVersion(head?.record) === token && head?.record?.kind !== 'assembled',
      isVisible: isVisible(head, blob),
      isMarker,
      isStamped: record?.stamp === true,
      mtime: record?.mtime ?? mtimeOfSeq(record?.seq ?? seqOfToken(token)),
      ownerId: record?.owner ?? bucket.ownerId,
      ...place,
      ...(!isMarker && { view: versionView({ bucket, key }, blob) }),
      ...(claim !== undefined && { claim }),
      ...(problem !== undefined && { problem }),
    };
  } catch (error) {
    return { ...unreadable(token, at), ...place, problem: reasonOf(error) };
  }
}

/** Its record with what was moved to the overflow blob. If that cannot be read, the rest is still worth showing. */
async function whole(
  blob: VersionBlob,
  { bucket }: VersionsOf,
  call: Call,
): Promise<{ blob: VersionBlob; problem?: string }> {
  try {
    return { blob: { ...(await withOverflow(bucket.home, blob, call)), token: blob.token } };
  } catch (error) {
    call.signal.throwIfAborted();
    return { blob, problem: reasonOf(error) };
  }
}

function unreadable(token: string, { bucket, head }: VersionsOf): Omit<InspectedVersion, 'ref'> {
  return {
    versionId: token,
    isCurrent: namedVersion(head?.record) === token,
    isVisible: false,
    isMarker: false,
    isStamped: false,
    mtime: mtimeOfSeq(seqOfToken(token)),
    ownerId: bucket.ownerId,
  };
}

/** The current version, when its bytes are in the head or its own blob was not among those looked at. */
function currentInHead(
  { bucket, key, head }: VersionsOf,
  own: readonly InspectedVersion[],
  more: boolean,
): InspectedVersion | undefined {
  if (head === undefined || head.record?.kind === 'void' || own.some(({ isCurrent }) => isCurrent)) return undefined;
  const { record } = head;
  const isHere = recordIsHere(head);
  const version = namedVersion(record);
  const isMissing = !more && !isHere && version !== undefined;
  return {
    versionId: isHere || saysNull(record) ? NULL_VERSION : (version ?? NULL_VERSION),
    isCurrent: true,
    isVisible: true,
    isMarker: record?.kind === 'marker',
    isStamped: isStamped(record),
    ownerId: record?.owner ?? bucket.ownerId,
    mtime: mtimeOf(head),
    ...bytesOf({ bucket, key, head }),
    ...(isMissing && { problem: 'its own blob was not found' }),
  };
}

function bytesOf({
  bucket,
  key,
  head,
}: { readonly head: Head } & Pick<VersionsOf, 'bucket' | 'key'>): Pick<InspectedVersion, 'ref' | 'revision' | 'view'> {
  const version = namedVersion(head.record);
  if (isLive(head)) {
    const view = viewOf(head, { bucket, key });
    return { view, ...view.bytes };
  }
  return version === undefined
    ? { ref: head.ref, revision: head.properties.revision }
    : { ref: versionRef({ bucket, key }, version) };
}

/** This blob holds the bytes of the null version, which the head describes. */
function blobOfAssembled({ bucket, key, head }: VersionsOf): string | undefined {
  return head?.record?.kind === 'assembled' ? versionRef({ bucket, key }, head.record.version).name : undefined;
}

/** The current version need not be the newest by its token: it may have been committed later than a newer one. */
function newestCurrentFirst(versions: readonly InspectedVersion[]): InspectedVersion[] {
  return [...versions].sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
}

function withCurrentSurvivor(versions: readonly InspectedVersion[]): InspectedVersion[] {
  const current = versions.findIndex(({ isVisible: visible }) => visible);
  return versions.map((version, index) => (index === current ? { ...version, isCurrent: true } : version));
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
