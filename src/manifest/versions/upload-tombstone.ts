import type { Call } from '../../observe/call.ts';
import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import { ABSENT, type BlobMetadata } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { BucketHome } from '../records/bucket.ts';
import { RECORD_NAME, toAsciiJson } from '../records/record.ts';
import { tombstoneRef } from '../records/upload-names.ts';

/** All tombstones of a backend. */
export const TOMBSTONES = 'c/';

/** How an upload was completed: what a repeated Complete is answered from. */
export interface Completion {
  readonly bucketUid: string;
  readonly key: string;
  /** Digest of the list of parts it was completed with. */
  readonly listHash: string;
  readonly etag: string;
  /** `null` or a token. */
  readonly versionId: string;
  readonly checksum?: Checksum;
  /** Whose the upload was, for who may be told of it. Absent in notes of earlier releases. */
  readonly starter?: Starter;
}

/** Who started an upload: the owner of what it makes, and the one who asked, if that was another. */
export interface Starter {
  readonly ownerId: string;
  readonly initiator?: { readonly id: string };
}

export interface CompletionJson {
  u: string;
  k: string;
  h: string;
  e: string;
  w: string;
  c?: readonly [Checksum['algorithm'], string, Checksum['type']] | undefined;
  o?: readonly [ownerId: string, initiator?: string] | undefined;
}

const FORMAT = 1;

export function toJson({ bucketUid, key, listHash, etag, versionId, checksum, starter }: Completion): CompletionJson {
  const o = starter && (starter.initiator === undefined ? ([starter.ownerId] as const) : ([starter.ownerId, starter.initiator.id] as const));
  return { o, u: bucketUid, k: key, h: listHash, e: etag, w: versionId, c: checksum && [checksum.algorithm, checksum.value, checksum.type] };
}

/** @returns undefined when something is missing */
export function fromJson({ u, k, h, e, w, c, o }: Partial<CompletionJson>): Completion | undefined {
  if (u === undefined || k === undefined || h === undefined || e === undefined || w === undefined) return undefined;
  return {
    bucketUid: u,
    key: k,
    listHash: h,
    etag: e,
    versionId: w,
    ...(c !== undefined && { checksum: { algorithm: c[0], value: c[1], type: c[2] } }),
    ...(o !== undefined && { starter: { ownerId: o[0], ...(o[1] !== undefined && { initiator: { id: o[1] } }) } }),
  };
}

/**
 * Writes down that an upload was completed. Stands before its record and its staging blob go, so
 * that at any moment one of the three says what became of it. Old ones are for a sweeper to remove.
 * @returns whether it is new
 */
export async function writeTombstone(home: BucketHome, uploadId: string, completion: Completion, call: Call): Promise<boolean> {
  const metadata: BlobMetadata = { [RECORD_NAME]: toAsciiJson({ v: FORMAT, ...toJson(completion) }) };
  try {
    await home.store.write(tombstoneRef(home, uploadId), new Uint8Array(0), { metadata, condition: ABSENT }, call);
    return true;
  } catch (error) {
    if (!isStoreError(error, 'conditionFailed')) throw error;
    return false; // what stands never changes
  }
}

export async function readTombstone(home: BucketHome, uploadId: string, call: Call): Promise<Completion | undefined> {
  try {
    return tombstoneOf((await home.store.head(tombstoneRef(home, uploadId), call)).metadata);
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  }
}

/** What a tombstone says, if this release can read it. */
export function tombstoneOf(metadata: BlobMetadata): Completion | undefined {
  const json = JSON.parse(metadata[RECORD_NAME] ?? '{}') as Partial<CompletionJson> & { v?: number };
  return json.v === FORMAT ? fromJson(json) : undefined;
}
