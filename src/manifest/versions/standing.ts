import type { Call } from '../../observe/call.ts';
import { preconditionFailed } from '../../protocol/conditions.ts';
import { type Head, NULL_VERSION, recordIsHere, shownOf } from '../heads/head.ts';
import type { RemoveRequest, Standing, VersionPlace } from '../heads/object-requests.ts';
import { mtimeOfSeq } from '../records/clock.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { namedVersion, saysNull } from '../records/record.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import { isVersionToken } from '../records/version-token.ts';
import { nullBlobOf } from './displace.ts';
import { isVisible, readVersion, type VersionBlob } from './version-blob.ts';

/** Versions that are looked at at a time. */
const CONCURRENCY = 8;

/** The id of the version that a head says is current. Undefined: none is. */
export function currentId(head: Head): string | undefined {
  if (head.record?.kind === 'void') return undefined;
  return recordIsHere(head) || saysNull(head.record) ? NULL_VERSION : namedVersion(head.record);
}

/**
 * Looks whether a version still has the place that a request goes by. It is asked of the head on whose revision the
 * removal is written, so it is true when that is committed. One call more if the version above it has been displaced,
 * and one for each that has to stay.
 * @throws S3Error PreconditionFailed
 */
export async function requireStanding(
  target: KeyRef & { readonly versionId: string },
  { standing }: Pick<RemoveRequest, 'standing'>,
  head: Head | undefined,
  call: Call,
): Promise<void> {
  if (standing === undefined) return;
  const { beneath } = standing;
  const current = head && currentId(head);
  const holds =
    beneath === undefined
      ? current === target.versionId && head?.record?.kind === 'marker' && mtimeOfHead(target, head) === standing.mtime
      : current !== target.versionId && (await isThere(target, beneath, head, call));
  if (!holds || !(await areThere(target, standing.besides ?? [], head, call))) throw preconditionFailed('If-Match');
}

async function areThere(
  target: KeyRef,
  versions: readonly VersionPlace[],
  head: Head | undefined,
  call: Call,
): Promise<boolean> {
  const looks = await mapConcurrent(versions, CONCURRENCY, (version) => isThere(target, version, head, call));
  return looks.every(Boolean);
}

/** Of a noncurrent version that is about to go. @throws S3Error PreconditionFailed: the null version is another one */
export function requireSame(standing: Standing | undefined, target: KeyRef, version: VersionBlob): void {
  if (standing === undefined || mtimeOfBlob(target, version) === standing.mtime) return;
  throw preconditionFailed('If-Match');
}

async function isThere(
  place: KeyRef,
  { versionId, mtime }: VersionPlace,
  head: Head | undefined,
  call: Call,
): Promise<boolean> {
  if (head === undefined) return false;
  if (currentId(head) === versionId) return mtimeOfHead(place, head) === mtime;
  const token = versionId === NULL_VERSION ? nullBlobOf(head) : versionId;
  if (token === undefined || !isVersionToken(token)) return false;
  const version = await readVersion(place, token, call);
  return version !== undefined && isVisible(head, version) && mtimeOfBlob(place, version) === mtime;
}

function mtimeOfHead({ bucket }: KeyRef, head: Head): number {
  const { record } = head;
  return record?.kind === 'marker' ? (record.mtime ?? mtimeOfSeq(record.seq)) : shownOf(head, bucket).mtime;
}

function mtimeOfBlob({ bucket }: KeyRef, version: VersionBlob): number {
  const { record } = version;
  return record?.kind === 'marker' ? (record.mtime ?? mtimeOfSeq(record.seq)) : shownOf(version, bucket).mtime;
}
