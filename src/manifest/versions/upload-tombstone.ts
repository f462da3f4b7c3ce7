import type { Call } from '../../observe/call.ts';
import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import { ABSENT, type BlobMetadata } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { BucketHome } from '../records/bucket.ts';
import { type FieldTable, TEXT, coded, codecOfFields, toAsciiJson } from '../records/fields.ts';
import { RECORD_NAME } from '../records/record.ts';
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
  /** Whose the upload was, for who may be told of it. */
  readonly starter: Starter;
}

/** Who started an upload: the owner of what it makes, and the one who asked, if that was another. */
export interface Starter {
  readonly ownerId: string;
  readonly initiator?: { readonly id: string };
}

/** The field table of how an upload ended, on its tombstone and in its claim, in the order in which it is written. */
export const COMPLETION_FIELDS = {
  starter: {
    code: 'o',
    meaning: 'who started the upload: canonical id of the owner, and of the initiator if that was another',
    absent: '-',
    form: coded<Starter, readonly [string, string?]>(
      ({ ownerId, initiator }) => (initiator === undefined ? [ownerId] : [ownerId, initiator.id]),
      ([ownerId, id]) => ({ ownerId, ...(id !== undefined && { initiator: { id } }) }),
    ),
  },
  bucketUid: { code: 'u', form: TEXT, meaning: 'uid of the bucket', absent: '-' },
  key: { code: 'k', form: TEXT, meaning: 'key', absent: '-' },
  listHash: { code: 'h', form: TEXT, meaning: 'digest of the list of parts', absent: '-' },
  etag: { code: 'e', form: TEXT, meaning: 'ETag without quotes', absent: '-' },
  versionId: { code: 'w', form: TEXT, meaning: '`null` or a token', absent: '-' },
  checksum: {
    code: 'c',
    meaning: 'checksum: algorithm, base64 value, type',
    absent: 'none',
    form: coded<Checksum, readonly [Checksum['algorithm'], string, Checksum['type']]>(
      ({ algorithm, value, type }) => [algorithm, value, type],
      ([algorithm, value, type]) => ({ algorithm, value, type }),
    ),
  },
} as const satisfies FieldTable;

const CODEC = codecOfFields(COMPLETION_FIELDS, ['v']);
const FORMAT = 1;

/** @returns undefined when something is missing */
export function completionOf({
  starter,
  bucketUid,
  key,
  listHash,
  etag,
  versionId,
  checksum,
}: Partial<Completion>): Completion | undefined {
  if (
    starter === undefined ||
    bucketUid === undefined ||
    key === undefined ||
    listHash === undefined ||
    etag === undefined ||
    versionId === undefined
  ) {
    return undefined;
  }
  return {
    starter,
    bucketUid,
    key,
    listHash,
    etag,
    versionId,
    ...(checksum !== undefined && { checksum }),
  };
}

/**
 * Writes down that an upload was completed. Stands before its record and its staging blob go, so
 * that at any moment one of the three says what became of it. Old ones are for a sweeper to remove.
 * @returns whether it is new
 */
export async function writeTombstone(
  home: BucketHome,
  uploadId: string,
  completion: Completion,
  call: Call,
): Promise<boolean> {
  const json: Record<string, unknown> = { v: FORMAT };
  CODEC.encode(completion, json);
  const metadata: BlobMetadata = { [RECORD_NAME]: toAsciiJson(json) };
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
  const json = JSON.parse(metadata[RECORD_NAME] ?? '{}') as { readonly v?: number };
  return json.v === FORMAT ? completionOf(CODEC.decode(json).fields) : undefined;
}
