import type { Call } from '../../observe/call.ts';
import { type BlobMetadata, type Revision, at } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { BucketHome } from '../buckets/bucket.ts';
import { stagingRef } from '../records/names.ts';
import { RECORD_NAME, toAsciiJson } from '../records/record.ts';
import { uploadOfStaging } from './upload-names.ts';
import { type Completion, type CompletionJson, fromJson, toJson, writeTombstone } from './upload-tombstone.ts';

/** The head of the key as it was judged before the parts were assembled; no revision: there was none. */
export interface ClaimBase {
  readonly revision?: Revision;
  readonly nonce?: string;
}

/**
 * What the metadata of a staging blob says. Making that blob exist claims the upload, exactly once:
 * for one list of parts, or for its abortion.
 */
export type Claim =
  | {
      /**
       * `busy`: being published. `refused`: its publication was refused for good, so anybody may take
       * it over. `gone`: it was published, and the object is being deleted.
       */
      readonly kind: 'busy' | 'refused' | 'gone';
      /** Names the request that holds the claim. */
      readonly attempt: string;
      readonly completion: Completion;
      readonly base: ClaimBase;
    }
  | { readonly kind: 'abort'; readonly attempt: string };

export interface StoredClaim {
  readonly claim: Claim;
  readonly revision: Revision;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

const FORMAT = 1;

interface ClaimJson extends Partial<CompletionJson> {
  v: number;
  s: Claim['kind'];
  a: string;
  br?: string | undefined;
  bn?: string | undefined;
}

export function encodeClaim(claim: Claim): BlobMetadata {
  const json: ClaimJson = { v: FORMAT, s: claim.kind, a: claim.attempt };
  if (claim.kind === 'abort') return { [RECORD_NAME]: toAsciiJson(json) };
  const { completion, base } = claim;
  return { [RECORD_NAME]: toAsciiJson({ ...json, ...toJson(completion), br: base.revision, bn: base.nonce }) };
}

/**
 * @returns undefined without a claim: an adapter may make the blob for a moment to free its parts
 * @throws Error for a claim of a later release
 */
export function decodeClaim(metadata: BlobMetadata): Claim | undefined {
  const text = metadata[RECORD_NAME];
  if (text === undefined) return undefined;
  const json = JSON.parse(text) as Partial<ClaimJson>;
  if (json.s === 'abort' && json.a !== undefined) return { kind: 'abort', attempt: json.a };
  const completion = fromJson(json);
  if (json.v !== FORMAT || json.s === undefined || json.a === undefined || completion === undefined) {
    throw new Error(`claim of format ${json.v ?? 'none'} cannot be read by this release`);
  }
  const base: ClaimBase = {
    ...(json.br !== undefined && { revision: json.br as Revision }),
    ...(json.bn !== undefined && { nonce: json.bn }),
  };
  return { kind: json.s, attempt: json.a, completion, base };
}

/** @returns undefined when nobody claims the upload */
export async function readClaim(home: BucketHome, uploadId: string, call: Call): Promise<StoredClaim | undefined> {
  try {
    const { metadata, revision, lastModified } = await home.store.head(stagingRef(home, uploadId), call);
    const claim = decodeClaim(metadata);
    return claim && { claim, revision, since: lastModified };
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  }
}

/** Puts another claim in the place of the one that was read. @returns undefined when somebody else was faster */
export async function replaceClaim(
  { home, uploadId }: { readonly home: BucketHome; readonly uploadId: string },
  stored: StoredClaim,
  claim: Claim,
  call: Call,
): Promise<StoredClaim | undefined> {
  try {
    const { revision, lastModified } = await home.store.setMetadata(stagingRef(home, uploadId), encodeClaim(claim), at(stored.revision), call);
    return { claim, revision, since: lastModified };
  } catch (error) {
    if (isStoreError(error, 'conditionFailed', 'notFound')) return undefined;
    if (!isStoreError(error) || !error.lost) throw error;
    const now = await readClaim(home, uploadId, call);
    return now?.claim.attempt === claim.attempt && now.claim.kind === claim.kind ? now : undefined;
  }
}

/**
 * Called before a published staging blob goes: from then on only the tombstone can tell a repeated
 * Complete that the first one succeeded. Private blobs that belong to no upload are left alone.
 */
export async function sealStaging(home: BucketHome, stagingName: string, call: Call): Promise<void> {
  await seal(home, stagingName, call);
}

/**
 * Called before the head that names a staging blob is deleted, which takes away the proof that it was
 * published. A Complete of the same upload that is still at work is told by the claim.
 */
export async function sealDeleted(home: BucketHome, stagingName: string, call: Call): Promise<void> {
  for (;;) {
    const sealed = await seal(home, stagingName, call);
    if (sealed === undefined || sealed.stored.claim.kind === 'gone') return;
    const { uploadId, stored } = sealed;
    if ((await replaceClaim({ home, uploadId }, stored, { ...stored.claim, kind: 'gone' }, call)) !== undefined) return;
  }
}

type CompletionClaim = Exclude<Claim, { readonly kind: 'abort' }>;

async function seal(
  home: BucketHome,
  stagingName: string,
  call: Call,
): Promise<{ readonly uploadId: string; readonly stored: StoredClaim & { readonly claim: CompletionClaim } } | undefined> {
  const uploadId = uploadOfStaging(stagingName);
  const stored = uploadId === undefined ? undefined : await readClaim(home, uploadId, call);
  if (uploadId === undefined || stored === undefined || stored.claim.kind === 'abort') return undefined;
  await writeTombstone(home, uploadId, stored.claim.completion, call);
  return { uploadId, stored: { ...stored, claim: stored.claim } };
}
