import type { Call } from '../../observe/call.ts';
import type { Bucket } from '../records/bucket.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { CommitLife } from '../heads/commit-life.ts';
import type { KeepApart } from '../heads/object-requests.ts';
import { abortUpload, discardUploads } from './upload-abort.ts';
import type { UploadsContext } from './upload-context.ts';
import { type CompleteRequest, type CompletedUpload, completeUpload } from './upload-complete.ts';
import { type PartCopy, copyPart } from './upload-copy.ts';
import { type Upload, type UploadTarget, createUpload, findUpload, noSuchUpload, readUpload } from './upload-find.ts';
import { type UploadListRequest, type UploadPage, listUploads } from './upload-list.ts';
import { UploadMemory } from './upload-memory.ts';
import type { PartRecord } from '../records/upload-part-record.ts';
import { type NewPart, type PartPage, listParts, putPart, saysPartMd5 } from './upload-parts.ts';
import type { UploadContent, UploadRecord } from '../records/upload-record.ts';

/** 5 MiB: least size of every part but the last. */
const MIN_PART_SIZE = 5_242_880;
/** 5 TiB, as the specification says. */
const MAX_OBJECT_SIZE = 5 * 1024 ** 4;

/**
 * Multipart uploads. Each has these blobs in the system container of the bucket's backend: `u/<bucket
 * uid>/<key>!!<id>`, its record, as long as it is open; `p/<id>/n/<number>`, a record for each part; the staging blob,
 * which is the own blob of the version that the upload becomes (`stagingRef`): parts are staged beside it, and who
 * makes it exist decides between Complete and Abort; `c/<id>`, its tombstone. The process remembers of an open upload
 * what parts need to know (`UploadMemory`). Only the service says whether it is open.
 */
export interface Uploads {
  create(
    target: KeyRef,
    record: Omit<UploadRecord, 'key' | 'placed'>,
    call: Call,
  ): Promise<UploadTarget & Pick<Upload, 'initiatedAt'>>;
  /** @throws S3Error NoSuchUpload: unknown, over, or of another key */
  find(target: UploadTarget, call: Call): Promise<Upload>;
  /**
   * The upload as this process remembers it. It may be over by now. That is enough for a part: the part's record cannot
   * be written then.
   * @throws as `find`, if it has to be looked up
   */
  recall(target: UploadTarget, call: Call): Promise<Upload>;
  /** The upload with what its object will have, always asked of the service: one call. @throws as `find` */
  read(target: UploadTarget, call: Call): Promise<Upload & UploadContent>;
  /** Whether the backend will say the MD5 of a part, so that none need be computed here: at most one call. */
  saysPartMd5(
    upload: Upload,
    part: { readonly size: number; readonly keepApart: KeepApart | undefined },
    call: Call,
  ): Promise<boolean>;
  /** @throws S3Error NoSuchUpload: the upload ended meanwhile; what the verification of the body throws */
  putPart(upload: Upload, part: NewPart, call: Call): Promise<PartRecord>;
  /** @throws as `putPart`; StoreError sourceNotFound, sourceConditionFailed: the source changed, look it up again */
  copyPart(upload: Upload, copy: PartCopy, call: Call): Promise<PartRecord>;
  /** Parts with numbers above `after`. */
  listParts(
    upload: Pick<Upload, 'bucket' | 'uploadId'>,
    page: { readonly after: number; readonly limit: number },
    call: Call,
  ): Promise<PartPage>;
  list(bucket: Bucket, request: UploadListRequest, call: Call): Promise<UploadPage>;
  /** Repeated with the same parts, it answers the same. @throws S3Error, see `completeUpload` */
  complete(target: UploadTarget, request: CompleteRequest, call: Call): Promise<CompletedUpload>;
  /** @throws S3Error NoSuchUpload, OperationAborted */
  abort(target: UploadTarget, call: Call): Promise<void>;
  /** Frees, in the background, what the uploads of a deleted bucket hold. What fails is left to the sweeper. */
  discardAll(bucket: Bucket, call: Call): Promise<void>;
}

type UploadsOptions = Pick<UploadsContext, 'clock' | 'settler' | 'objects'> & Partial<UploadsContext>;

export function createUploads(options: UploadsOptions): Uploads {
  const context: UploadsContext = {
    minPartSize: MIN_PART_SIZE,
    maxObjectSize: MAX_OBJECT_SIZE,
    commits: new CommitLife(),
    ...options,
  };
  const { commits } = context;
  const memory = new UploadMemory();
  const find: Uploads['find'] = async (target, call) => memory.learn(target, findUpload(target, call));
  return {
    create: async ({ bucket, key }, record, call) => {
      const upload = await createUpload(context, { bucket, key, record }, call);
      memory.remember(upload);
      return { bucket, key, uploadId: upload.uploadId, initiatedAt: upload.initiatedAt };
    },
    find,
    recall: async (target, call) => memory.recall(target) ?? find(target, call),
    read: async (target, call) => {
      const upload = await readUpload(target, call);
      if (upload === undefined) throw noSuchUpload(target.uploadId);
      return upload;
    },
    saysPartMd5,
    putPart: (upload, part, call) => memory.heed(upload, putPart(upload, part, call)),
    copyPart: (upload, copy, call) => memory.heed(upload, copyPart(upload, copy, call)),
    listParts,
    list: listUploads,
    complete: (target, request, call) =>
      memory.forgetAfter(
        target,
        commits.run(call, (own) => completeUpload(context, target, request, own)),
      ),
    abort: (target, call) =>
      memory.forgetAfter(
        target,
        commits.run(call, (own) => abortUpload(target, own)),
      ),
    discardAll: async (bucket) => {
      context.settler.later(`discard uploads of ${bucket.uid}`, (call) => discardUploads(bucket, call));
    },
  };
}
