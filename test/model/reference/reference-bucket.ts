import { type Answer, ok, Refusal } from './answer.ts';
import { type Call, perCall, type PerCall } from './calls.ts';
import { deleteObject, deleteObjects } from './deletions.ts';
import { listObjects, listObjectsV2, listObjectVersions } from './listings.ts';
import {
  getObjectLegalHold,
  getObjectLockConfiguration,
  getObjectRetention,
  putObjectLegalHold,
  putObjectLockConfiguration,
  putObjectRetention,
} from './locking.ts';
import {
  copyObject,
  deleteObjectTagging,
  getObject,
  getObjectAcl,
  getObjectAttributes,
  getObjectTagging,
  headObject,
  putObject,
  putObjectAcl,
  putObjectTagging,
} from './objects.ts';
import { BucketState } from './state.ts';
import { type Upload, Uploads } from './uploads.ts';

/** One bucket of S3 as its documentation describes it, in memory. It knows nothing of how a gateway stores things. */
export class ReferenceBucket {
  readonly #state = new BucketState();
  readonly #uploads = new Uploads(this.#state);
  readonly #operations: PerCall<Answer>;

  /** @param options objectLock: with object lock from the beginning, which turns versioning on */
  constructor({ objectLock = false }: { readonly objectLock?: boolean } = {}) {
    const state = this.#state;
    if (objectLock) {
      state.versioning = 'enabled';
      state.objectLock = {};
    }
    const uploads = this.#uploads;
    this.#operations = {
      PutBucketVersioning: ({ status }) => {
        if (state.objectLock !== undefined && status === 'Suspended') throw new Refusal(409, 'InvalidBucketState');
        state.versioning = status === 'Enabled' ? 'enabled' : 'suspended';
        return ok();
      },
      GetBucketVersioning: () => ok({}, { never: '', enabled: 'Enabled', suspended: 'Suspended' }[state.versioning]),
      PutObjectLockConfiguration: (call) => putObjectLockConfiguration(state, call),
      GetObjectLockConfiguration: () => getObjectLockConfiguration(state),
      PutObject: (call) => putObject(state, call),
      GetObject: (call) => getObject(state, call),
      HeadObject: (call) => headObject(state, call),
      GetObjectAttributes: (call) => getObjectAttributes(state, call),
      CopyObject: (call) => copyObject(state, call),
      DeleteObject: (call) => deleteObject(state, call),
      DeleteObjects: (call) => deleteObjects(state, call),
      GetObjectTagging: (call) => getObjectTagging(state, call),
      PutObjectTagging: (call) => putObjectTagging(state, call),
      DeleteObjectTagging: (call) => deleteObjectTagging(state, call),
      GetObjectAcl: (call) => getObjectAcl(state, call),
      PutObjectAcl: (call) => putObjectAcl(state, call),
      GetObjectRetention: (call) => getObjectRetention(state, call),
      PutObjectRetention: (call) => putObjectRetention(state, call),
      GetObjectLegalHold: (call) => getObjectLegalHold(state, call),
      PutObjectLegalHold: (call) => putObjectLegalHold(state, call),
      CreateMultipartUpload: (call) => uploads.create(call),
      UploadPart: (call) => uploads.putPart(call),
      UploadPartCopy: (call) => uploads.copyPart(call),
      CompleteMultipartUpload: (call) => uploads.complete(call),
      AbortMultipartUpload: (call) => uploads.abort(call),
      ListParts: (call) => uploads.listParts(call),
      ListMultipartUploads: (call) => uploads.list(call),
      ListObjects: (call) => listObjects(state, call),
      ListObjectsV2: (call) => listObjectsV2(state, call),
      ListObjectVersions: (call) => listObjectVersions(state, call),
    };
  }

  answer(call: Call): Answer {
    try {
      return perCall(this.#operations, call);
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      throw error;
    }
  }

  get uploads(): readonly Upload[] {
    return this.#uploads.all;
  }

  /** ETag of the object that is there for those who name no version. */
  currentEtag(key: string): string | undefined {
    return this.#state.live(key)?.etag;
  }

  hasNull(key: string): boolean {
    return this.#state.history(key).find('null') !== undefined;
  }

  /** All version ids of a key, or of the other keys, that were ever told; also of versions that are gone. */
  issuedVersions(key: string, of: 'key' | 'others' = 'key'): readonly string[] {
    return this.#state.issued(key, of);
  }
}
