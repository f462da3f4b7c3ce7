import { isS3Error } from '../../errors/s3-error.ts';
import { keepNewest } from '../../observe/bounded-map.ts';
import { belongsTo } from '../records/upload-id.ts';
import type { UploadTarget } from '../records/upload-names.ts';
import type { Upload } from './upload-find.ts';

/** Entries of at most a kilobyte or two each: an owner, an initiator, the revision of a record. */
const MAX_UPLOADS = 5000;

/**
 * What this process knows of uploads that were open when it last heard of them. Nothing rewrites the record of an
 * upload, so this is true as long as the upload is open. Whether the upload is open, only the service says: the record
 * of a part cannot be written when it is not (`recordPart`).
 */
export class UploadMemory {
  readonly #uploads = new Map<string, Upload>();

  remember(upload: Upload): void {
    keepNewest(this.#uploads, upload.uploadId, upload, MAX_UPLOADS);
  }

  /** The upload, with the bucket as this request knows it. Undefined for an id of another key or bucket. */
  recall({ bucket, key, uploadId }: UploadTarget): Upload | undefined {
    const upload = belongsTo(uploadId, { bucket, key }) ? this.#uploads.get(uploadId) : undefined;
    return upload && { ...upload, bucket };
  }

  /** Remembers the upload that `look` finds, and forgets it when there is none. */
  async learn({ uploadId }: UploadTarget, look: Promise<Upload>): Promise<Upload> {
    const upload = await this.heed({ uploadId }, look);
    this.remember(upload);
    return upload;
  }

  /** Waits for work on an upload, and forgets the upload when the work fails because it is over. */
  async heed<T>({ uploadId }: Pick<UploadTarget, 'uploadId'>, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (isS3Error(error, 'NoSuchUpload')) this.#uploads.delete(uploadId);
      throw error;
    }
  }

  /** Waits for work that ends an upload, and forgets the upload. */
  async forgetAfter<T>({ uploadId }: UploadTarget, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } finally {
      this.#uploads.delete(uploadId);
    }
  }
}
