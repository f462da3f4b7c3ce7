import type { Call } from '../../observe/call.ts';
import { carriesNonce } from '../heads/head-commit.ts';
import { type Head, NULL_VERSION } from '../heads/head.ts';
import { readHead } from '../heads/object-read.ts';
import { namedNull, namedVersion } from '../records/record.ts';
import { publishNonce, versionOfUpload } from '../records/upload-id.ts';
import type { UploadTarget } from '../records/upload-names.ts';
import type { VersionToken } from '../records/version-token.ts';
import { type Claim, type CompletionClaim, readClaim } from '../versions/upload-claim.ts';
import { type Completion, readTombstone } from '../versions/upload-tombstone.ts';
import { readVersion } from '../versions/version-blob.ts';

/**
 * All places at which the version of the upload may have been committed: its own place, and those that it was moved to.
 * The last one comes first.
 */
export function placesOf(uploadId: string, claim?: Claim): readonly VersionToken[] {
  const moved = claim === undefined || claim.kind === 'abort' ? [] : (claim.places ?? []);
  return [...moved.toReversed(), versionOfUpload(uploadId)];
}

/**
 * Whether a head proves that the upload was published: it names the upload's blob, or it carries the nonce of that
 * write. A head that says neither proves nothing, because a plain PUT keeps no nonces.
 */
export function isPublished(head: Head | undefined, uploadId: string, claim?: Claim): boolean {
  return (
    carriesNonce(head?.record, publishNonce(uploadId)) || namedPlace(head, placesOf(uploadId, claim)) !== undefined
  );
}

function namedPlace(head: Head | undefined, places: readonly VersionToken[]): VersionToken | undefined {
  const { adds = [], dels = [] } = head?.record ?? {};
  const named = new Set([namedVersion(head?.record), namedNull(head?.record), ...adds, ...dels]);
  return places.find((place) => named.has(place));
}

/** Finds a place of the upload's version whose blob is stamped: it was current once, or was committed below a head. */
export async function stampedPlace(
  { bucket, key }: UploadTarget,
  places: readonly VersionToken[],
  call: Call,
): Promise<VersionToken | undefined> {
  for (const place of places) {
    if ((await readVersion({ bucket, key }, place, call))?.record.stamp === true) return place;
  }
  return undefined;
}

/** What is known of an upload that was published. */
interface KnownPublication {
  /** As it was read last. */
  readonly head: Head | undefined;
  /** As this request knows it. Another one may have added places since. */
  readonly claim: Claim;
}

/**
 * The place at which the version was published, once it is known that it was. Several attempts may have moved it, each
 * to places of its own, and one of them has published it: so it is not the place that was written down last.
 */
export async function publishedPlace(
  target: UploadTarget,
  { head, claim: known }: KnownPublication,
  call: Call,
): Promise<VersionToken> {
  const { bucket, uploadId } = target;
  const own = versionOfUpload(uploadId);
  if (bucket.versioning === 'never') return own;
  // The nonce stays that of the write that made the version, however often its head is amended.
  const isCurrent = head?.record?.nonce === publishNonce(uploadId);
  const named = (isCurrent ? namedVersion(head.record) : undefined) ?? namedPlace(head, placesOf(uploadId, known));
  if (named !== undefined) return named;
  const places = placesOf(uploadId, (await readClaim(target, call))?.claim ?? known);
  if (places.length === 1) return own;
  const found = namedPlace(head, places) ?? (await stampedPlace(target, places, call));
  // Its blob is gone then, and the request that removed it has written the note first.
  return found ?? (await readTombstone(bucket.home, uploadId, call))?.versionId ?? places[0] ?? own;
}

/** How an upload was completed, by the claim of one that is known to be published: at the place where it is. */
export async function publishedCompletion(
  target: UploadTarget,
  claim: CompletionClaim,
  call: Call,
): Promise<Completion> {
  const { completion, places } = claim;
  if (completion.versionId === NULL_VERSION || places === undefined) return completion;
  const head = await readHead(target, call);
  return { ...completion, versionId: await publishedPlace(target, { head, claim }, call) };
}
