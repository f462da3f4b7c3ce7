import type { Call } from '../../observe/call.ts';
import { type BlobMetadata, type BlobProperties, type Revision, at } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import {
  FLAG,
  type FieldTable,
  TEXT,
  type UnknownFields,
  addUnknown,
  codecOfFields,
  plain,
  toAsciiJson,
} from '../records/fields.ts';
import { CLAIM_NAME, recordIn } from '../records/metadata.ts';
import { type VersionToken, isUploadToken } from '../records/version-token.ts';
import { versionRef } from '../records/version-names.ts';
import { type UploadTarget, stagingRef } from '../records/upload-names.ts';
import { COMPLETION_FIELDS, type Completion, completionOf, writeTombstone } from './upload-tombstone.ts';
import type { KeyRef } from '../records/key-ref.ts';

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
      /**
       * Where the version was to stand, one after the other, when its own place was below one that it must not be
       * below.
       */
      readonly places?: readonly VersionToken[];
      /**
       * Taken over from a request that was not heard of again: the head that it sent may land whenever there is none.
       * So the blob stays for as long as a request can live, also when the object has moved to its key or was deleted.
       */
      readonly mayLandLate?: true;
      /** Fields that this release does not know. */
      readonly unknown?: UnknownFields;
    }
  | {
      readonly kind: 'abort';
      readonly uploadId: string;
      readonly attempt: string;
      /**
       * A Complete held the claim before and was not heard of again: a head that names the blob may come yet. Only the
       * sweeper removes it, later.
       */
      readonly mayBeNamed?: true;
      /** Fields that this release does not know. */
      readonly unknown?: UnknownFields;
    };

interface ClaimFields extends Completion, ClaimBase {
  readonly kind: Claim['kind'];
  readonly uploadId: string;
  readonly attempt: string;
  readonly places: readonly VersionToken[];
  readonly mayBeNamed: boolean;
  readonly mayLandLate: boolean;
}

export interface StoredClaim {
  readonly claim: Claim;
  readonly revision: Revision;
  /** Bytes of the blob: none if no part has any. Undefined where this request has made it. */
  readonly size?: number;
  /** When it was written, by the clock of the service. Milliseconds since the epoch. */
  readonly since: number;
  /** The blob's other metadata: record and user metadata of the version. */
  readonly rest: BlobMetadata;
  /** The blob was the object once, or a version below it: the protocol's stamp. */
  readonly stamped: boolean;
}

/** The field table of a claim, in the order in which it is written. */
export const CLAIM_FIELDS = {
  kind: {
    code: 's',
    form: plain<Claim['kind']>(),
    meaning: '`busy`, `refused`, `gone` or `abort`; another is refused',
    absent: '-',
  },
  uploadId: { code: 'i', form: TEXT, meaning: 'the upload', absent: '-' },
  attempt: { code: 'a', form: TEXT, meaning: 'the request that holds the claim', absent: '-' },
  ...COMPLETION_FIELDS,
  revision: {
    code: 'br',
    form: plain<Revision>(),
    meaning: 'revision of the head that was judged before the parts were assembled',
    absent: 'there was none',
  },
  nonce: { code: 'bn', form: TEXT, meaning: 'nonce of that head', absent: 'there was none' },
  places: {
    code: 'pl',
    form: plain<readonly VersionToken[]>(),
    absent: 'its own place alone',
    meaning:
      'where the version was to stand, one after the other, when its own place was below one that it must not be below',
  },
  mayBeNamed: {
    code: 'nm',
    form: FLAG,
    meaning: 'of an abort: a head that names the blob may come yet',
    absent: 'none can',
  },
  mayLandLate: {
    code: 'll',
    form: FLAG,
    meaning: 'taken over from a request whose head may land yet: the blob stays, whatever becomes of the object',
    absent: 'not',
  },
} as const satisfies FieldTable;

const CODEC = codecOfFields(CLAIM_FIELDS, ['v']);
const FORMAT = 1;
const KINDS: ReadonlySet<unknown> = new Set<Claim['kind']>(['busy', 'refused', 'gone', 'abort']);

export function encodeClaim(claim: Claim): BlobMetadata {
  const json: Record<string, unknown> = { v: FORMAT };
  CODEC.encode(claim.kind === 'abort' ? claim : { ...claim, ...claim.completion, ...claim.base }, json);
  addUnknown(json, claim.unknown);
  return { [CLAIM_NAME]: toAsciiJson(json) };
}

/**
 * @returns undefined without a claim: an adapter may make the blob for a moment to free its parts
 * @throws Error for a claim of a later release
 */
export function decodeClaim(metadata: BlobMetadata): Claim | undefined {
  const text = metadata[CLAIM_NAME];
  if (text === undefined) return undefined;
  const json = JSON.parse(text) as { readonly v?: number };
  const { fields, unknown: rest } = CODEC.decode(json);
  const {
    kind,
    uploadId,
    attempt,
    places,
    revision,
    nonce,
    mayBeNamed,
    mayLandLate: isLate,
    ...completed
  } = fields as Partial<ClaimFields>;
  const completion = completionOf(completed);
  const unknown = rest && { unknown: rest };
  if (kind !== undefined && attempt !== undefined && uploadId !== undefined && KINDS.has(kind)) {
    if (kind === 'abort') return { kind, uploadId, attempt, ...(mayBeNamed === true && { mayBeNamed }), ...unknown };
    const base: ClaimBase = { ...(revision !== undefined && { revision }), ...(nonce !== undefined && { nonce }) };
    const more = { ...(places && { places }), ...(isLate === true && { mayLandLate: isLate }), ...unknown };
    if (json.v === FORMAT && completion !== undefined) return { kind, uploadId, attempt, completion, base, ...more };
  }
  throw new Error(`claim of format ${json.v ?? 'none'} cannot be read by this release`);
}

/** @returns undefined when the upload is not claimed */
export async function readClaim(target: UploadTarget, call: Call): Promise<StoredClaim | undefined> {
  try {
    return storedClaim(await target.bucket.home.store.head(stagingRef(target), call));
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  }
}

function storedClaim({ metadata, revision, lastModified, size }: BlobProperties): StoredClaim | undefined {
  const claim = decodeClaim(metadata);
  if (claim === undefined) return undefined;
  const { [CLAIM_NAME]: _claim, ...rest } = metadata;
  return { claim, revision, size, since: lastModified, rest, stamped: recordIn(rest)?.stamp === true };
}

/**
 * Puts another claim in the place of the one that was read. Where the answer is lost, and the one that was read is
 * still there, it is sent once more: the condition lets only one of the two in.
 * @returns undefined when another request was faster, or when the outcome is unknown: the claim that was read may still
 * be there
 */
export async function replaceClaim(
  target: UploadTarget,
  stored: StoredClaim,
  claim: Claim,
  call: Call,
): Promise<StoredClaim | undefined> {
  const { store } = target.bucket.home;
  const { unknown } = stored.claim;
  const claimed = encodeClaim({ ...(unknown && { unknown }), ...claim });
  const metadata = { ...stored.rest, ...claimed };
  for (const isLast of [false, true]) {
    try {
      const condition = at(stored.revision);
      const { revision, lastModified } = await store.setMetadata(stagingRef(target), metadata, condition, call);
      return { ...stored, claim, revision, since: lastModified };
    } catch (error) {
      // The second one is refused when the first has landed after all.
      const isRefused = isStoreError(error, 'conditionFailed', 'notFound');
      if (isRefused && !isLast) return undefined;
      if (!isRefused && !(isStoreError(error) && error.lost)) throw error;
    }
    const now = await readClaim(target, call);
    // A renewed claim reads as it did before: the revision says whether it was written.
    if (now?.revision !== stored.revision) return isTheSame(now, claimed) ? now : undefined;
  }
  return undefined;
}

function isTheSame(now: StoredClaim | undefined, claimed: BlobMetadata): boolean {
  return now !== undefined && encodeClaim(now.claim)[CLAIM_NAME] === claimed[CLAIM_NAME];
}

/** A version of a key. */
interface VersionName extends KeyRef {
  readonly token: VersionToken;
}

/**
 * Called before a published staging blob goes: from then on only the tombstone can tell a repeated
 * Complete that the first one succeeded. Other private blobs are left alone, without a call.
 * @returns false when it must not go yet: a head that names it may land late
 */
export async function sealVersion(version: VersionName, call: Call): Promise<boolean> {
  const sealed = await seal(version, call);
  return sealed === undefined || !mayLandLate(sealed.claim, recordIn(sealed.rest));
}

/**
 * A version with an id is part of the history wherever it lies, so only what makes the null version can be left lying.
 */
export function mayLandLate(
  claim: Claim | undefined,
  record: { readonly isNull?: boolean | undefined } | undefined,
): boolean {
  return claim !== undefined && claim.kind !== 'abort' && claim.mayLandLate === true && record?.isNull === true;
}

/** The same for a blob whose metadata is known. */
export async function sealKnown({ bucket }: VersionName, metadata: BlobMetadata, call: Call): Promise<void> {
  const claim = decodeClaim(metadata);
  if (claim !== undefined && claim.kind !== 'abort') {
    await writeTombstone(bucket.home, claim.uploadId, claim.completion, call);
  }
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

async function seal(
  { bucket, key, token }: VersionName,
  call: Call,
): Promise<(StoredClaim & { readonly claim: CompletionClaim }) | undefined> {
  if (!isUploadToken(token)) return undefined;
  let stored: StoredClaim | undefined;
  try {
    stored = storedClaim(await bucket.home.store.head(versionRef({ bucket, key }, token), call));
  } catch (error) {
    if (!isStoreError(error, 'notFound')) throw error;
  }
  if (stored === undefined || stored.claim.kind === 'abort') return undefined;
  await writeTombstone(bucket.home, stored.claim.uploadId, stored.claim.completion, call);
  return { ...stored, claim: stored.claim };
}
