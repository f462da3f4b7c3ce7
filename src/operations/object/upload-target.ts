import { S3Error } from '../../errors/s3-error.ts';
import type { Bucket } from '../../manifest/index.ts';
import type { FormBody, ObjectBody } from '../../protocol/body/object-body.ts';
import type { OperationContext } from '../operation.ts';

/**
 * The bucket that an upload goes to. It is read once more before the last bytes are let through. If it was deleted, the
 * upload is refused. If its versioning has changed, the upload is refused only when bytes are on their way to the
 * backend already; as long as the gateway holds all of them, the object is stored in the bucket as it is now.
 */
export class UploadTarget {
  readonly #bucket: Bucket;
  readonly #context: OperationContext;
  #current: Bucket;
  #begun = false;

  constructor(context: OperationContext) {
    this.#bucket = context.bucket;
    this.#context = context;
    this.#current = context.bucket;
  }

  /** @throws S3Error NoSuchBucket, OperationAborted, ServiceUnavailable (its versioning has changed) */
  async confirm(): Promise<void> {
    const { manifest, call } = this.#context;
    const now = await manifest.buckets.current(this.#bucket, call);
    if (now.versioning === this.#bucket.versioning) return;
    if (this.#begun) throw changed();
    this.#current = now;
  }

  /**
   * To be called when the body is open and nothing of it was written. @returns the bucket as it is now @throws S3Error
   * ServiceUnavailable
   */
  begin(kind: (ObjectBody | FormBody)['kind']): Bucket {
    this.#begun = true;
    if (kind !== 'held' && this.#current !== this.#bucket) throw changed();
    return this.#current;
  }
}

/** A 503: clients send the upload again. */
function changed(): S3Error {
  return new S3Error('ServiceUnavailable');
}
