import type { Call } from '../../observe/call.ts';
import { type BlobMetadata, type BlobProperties, type Revision, at } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { CLAIM_NAME, splitMetadata, toAsciiJson } from '../records/record.ts';
import { type VersionToken, isUploadToken } from '../records/version-token.ts';
import { versionRef } from '../records/version-names.ts';
import type { Bucket } from '../records/bucket.ts';
import { type UploadTarget, stagingRef } from '../records/upload-names.ts';
import { type Completion, type CompletionJson, fromJson, toJson, writeTombstone } from './upload-tombstone.ts';

/** The head of the key as it was judged before the parts were assembled; no revision: there was none. */
export interface ClaimBase {
  readonly revision?: Revision;
  readonly nonce?: string;
}

/**
 * What a staging blob says of its upload, in a metadata entry beside the version's record. Making that
 * blob exist claims the upload, exactly once: for one list of parts, or for its abortion.
 */
export type Claim =
  | {
      /**
       * `busy`: being published. `refused`: its publication did not happen, for certain, so anybody may take
       * it over. `gone`: it was published, and the object is being deleted.
       */
      readonly kind: 'busy' | 'refused' | 'gone';
      readonly uploadId: string;
      /** Names the request that holds the claim. */
      readonly attempt: string;
      readonly completion: Completion;
      readonly base: ClaimBase;
      /** Where the version was to stand, one after the other, when its own place was below one that it must not be below. */
      readonly places?: readonly VersionToken[];
    }
  | {
      readonly kind: 'abort';
      readonly uploadId: string;
      readonly attempt: string;
      /** A Complete held the claim before and was not heard of again: a head that names the blob may come yet. Only the sweeper removes it, later. */
      readonly mayBeNamed?: true;
    };

export interface StoredClaim {
  readonly claim: Claim;
  readonly revision: Revision;
  /** When it was written, by the clock of the service. Milliseconds since the epoch. */
  readonly since: number;
  /** The blob's other metadata: record and user metadata of the version. */
  readonly rest: BlobMetadata;
  /** The blob was the object once, or a version below it: the protocol's stamp. */
  readonly stamped: boolean;
}

const FORMAT = 1;

interface ClaimJson extends Partial<CompletionJson> {
  v: number;
  s: Claim['kind'];
  i: string;
  a: string;
  br?: string | undefined;
  bn?: string | undefined;
  pl?: readonly string[] | undefined;
  nm?: 1 | undefined;
}

export function encodeClaim(claim: Claim): BlobMetadata {
  const json: ClaimJson = { v: FORMAT, s: claim.kind, i: claim.uploadId, a: claim.attempt };
  if (claim.kind === 'abort') return { [CLAIM_NAME]: toAsciiJson({ ...json, nm: claim.mayBeNamed && 1 }) };
  const { completion, base, places } = claim;
  return { [CLAIM_NAME]: toAsciiJson({ ...json, ...toJson(completion), br: base.revision, bn: base.nonce, pl: places }) };
}

/**
 * @returns undefined without a claim: an adapter may make the blob for a moment to free its parts
 * @throws Error for a claim of a later release
 */
export function decodeClaim(metadata: BlobMetadata): Claim | undefined {
  const text = metadata[CLAIM_NAME];
  if (text === undefined) return undefined;
  const json = JSON.parse(text) as Partial<ClaimJson>;
  const { i: uploadId, a: attempt } = json;
  if (json.s === 'abort' && attempt !== undefined && uploadId !== undefined) {
    return { kind: 'abort', uploadId, attempt, ...(json.nm !== undefined && { mayBeNamed: true }) };
  }
  const completion = fromJson(json);
  if (json.v !== FORMAT || json.s === undefined || json.s === 'abort' || attempt === undefined || uploadId === undefined || completion === undefined) {
    throw new Error(`claim of format ${json.v ?? 'none'} cannot be read by this release`);
  }
  const base: ClaimBase = {
    ...(json.br !== undefined && { revision: json.br as Revision }),
    ...(json.bn !== undefined && { nonce: json.bn }),
  };
  return { kind: json.s, uploadId, attempt, completion, base, ...(json.pl !== undefined && { places: json.pl }) };
}

/** @returns undefined when nobody claims the upload */
export async function readClaim(target: UploadTarget, call: Call): Promise<StoredClaim | undefined> {
  try {
    return storedClaim(await target.bucket.home.store.head(stagingRef(target), call));
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  }
}

function storedClaim({ metadata, revision, lastModified }: BlobProperties): StoredClaim | undefined {
  const claim = decodeClaim(metadata);
  if (claim === undefined) return undefined;
  const { [CLAIM_NAME]: _claim, ...rest } = metadata;
  return { claim, revision, since: lastModified, rest, stamped: splitMetadata(rest).record?.stamp === true };
}

/** Puts another claim in the place of the one that was read. @returns undefined when somebody else was faster */
export async function replaceClaim(target: UploadTarget, stored: StoredClaim, claim: Claim, call: Call): Promise<StoredClaim | undefined> {
  try {
    const metadata = { ...stored.rest, ...encodeClaim(claim) };
    const { revision, lastModified } = await target.bucket.home.store.setMetadata(stagingRef(target), metadata, at(stored.revision), call);
    return { ...stored, claim, revision, since: lastModified };
  } catch (error) {
    if (isStoreError(error, 'conditionFailed', 'notFound')) return undefined;
    if (!isStoreError(error) || !error.lost) throw error;
    const now = await readClaim(target, call);
    return now?.claim.attempt === claim.attempt && now.claim.kind === claim.kind ? now : undefined;
  }
}

/** A version of a key. */
export interface VersionName {
  readonly bucket: Bucket;
  readonly key: string;
  readonly token: VersionToken;
}

/**
 * Called before a published staging blob goes: from then on only the tombstone can tell a repeated
 * Complete that the first one succeeded. Other private blobs are left alone, without a call.
 */
export async function sealVersion(version: VersionName, call: Call): Promise<void> {
  await seal(version, call);
}

/** The same for a blob whose metadata is known. */
export async function sealKnown({ bucket }: VersionName, metadata: BlobMetadata, call: Call): Promise<void> {
  const claim = decodeClaim(metadata);
  if (claim !== undefined && claim.kind !== 'abort') await writeTombstone(bucket.home, claim.uploadId, claim.completion, call);
}

/**
 * Called before the head that names a staging blob is deleted, which takes away the proof that it was
 * published. A Complete of the same upload that is still at work is told by the claim.
 */
export async function sealDeleted(version: VersionName, call: Call): Promise<void> {
  for (;;) {
    const sealed = await seal(version, call);
    if (sealed === undefined || sealed.claim.kind === 'gone') return;
    const { bucket, key } = version;
    const target = { bucket, key, uploadId: sealed.claim.uploadId };
    if ((await replaceClaim(target, sealed, { ...sealed.claim, kind: 'gone' }, call)) !== undefined) return;
  }
}

export type CompletionClaim = Exclude<Claim, { readonly kind: 'abort' }>;

async function seal({ bucket, key, token }: VersionName, call: Call): Promise<(StoredClaim & { readonly claim: CompletionClaim }) | undefined> {
  if (!isUploadToken(token)) return undefined;
  let stored: StoredClaim | undefined;
  try {
    stored = storedClaim(await bucket.home.store.head(versionRef(bucket, key, token), call));
  } catch (error) {
    if (!isStoreError(error, 'notFound')) throw error;
  }
  if (stored === undefined || stored.claim.kind === 'abort') return undefined;
  await writeTombstone(bucket.home, stored.claim.uploadId, stored.claim.completion, call);
  return { ...stored, claim: stored.claim };
}
