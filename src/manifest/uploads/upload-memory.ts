import { isS3Error } from '../../errors/s3-error.ts';
import { keepNewest } from '../../observe/bounded-map.ts';
import { belongsTo } from '../records/upload-id.ts';
import type { UploadTarget } from '../records/upload-names.ts';
import type { Upload } from './upload-find.ts';

/** Entries of at most a kilobyte or two each: an owner, an initiator, the revision of a record. */
const MAX_UPLOADS = 5000;

/**
 * What this process knows of uploads that were open when it last heard of them. Nothing rewrites the record of an
 * upload, so what is remembered is true for as long as the upload is open, however old it is. Whether it is open is
 * never taken from here: the record of a part fails by itself when it is not (`recordPart`).
 */
export class UploadMemory {
  readonly #uploads = new Map<string, Upload>();

  remember(upload: Upload): void {
    keepNewest(this.#uploads, upload.uploadId, upload, MAX_UPLOADS);
  }

  /** With the bucket as the request knows it. Of another key or bucket nothing is known under this id. */
  recall({ bucket, key, uploadId }: UploadTarget): Upload | undefined {
    const upload = belongsTo(uploadId, { bucket, key }) ? this.#uploads.get(uploadId) : undefined;
    return upload && { ...upload, bucket };
  }

  /** What a look at it found: the upload, or that it is over. */
  async learn({ uploadId }: UploadTarget, look: Promise<Upload>): Promise<Upload> {
    const upload = await this.heed({ uploadId }, look);
    this.remember(upload);
    return upload;
  }

  /** Passes work on an upload through, and forgets the upload when that says that it is over. */
  async heed<T>({ uploadId }: Pick<UploadTarget, 'uploadId'>, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (isS3Error(error, 'NoSuchUpload')) this.#uploads.delete(uploadId);
      throw error;
    }
  }

  /** The same for work that ends it. */
  async forgetAfter<T>({ uploadId }: UploadTarget, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } finally {
      this.#uploads.delete(uploadId);
    }
  }
}
