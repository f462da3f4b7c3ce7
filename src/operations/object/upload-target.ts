import { S3Error } from '../../errors/s3-error.ts';
import type { Bucket } from '../../manifest/records/bucket.ts';
import type { FormBody, ObjectBody } from '../../protocol/body/object-body.ts';
import type { OperationContext } from '../operation.ts';

/**
 * The bucket that an upload goes to, looked at once more before the last bytes are let through. One that was deleted
 * refuses the upload. One that changed its versioning does, too, when bytes are on their way to the backend already; as
 * long as all of them are held here the change is none of the client's concern, and the object is stored as the bucket
 * is now.
 */
export class UploadTarget {
  readonly #bucket: Bucket;
  readonly #context: OperationContext;
  #current: Bucket;
  #begun = false;

  constructor(bucket: Bucket, context: OperationContext) {
    this.#bucket = bucket;
    this.#context = context;
    this.#current = bucket;
  }

  /** @throws S3Error NoSuchBucket, OperationAborted, ServiceUnavailable (its versioning has changed) */
  async confirm(): Promise<void> {
    const { manifest, call } = this.#context;
    const now = await manifest.buckets.current(this.#bucket, call);
    if (now.versioning === this.#bucket.versioning) return;
    if (this.#begun) throw changed();
    this.#current = now;
  }

  /** To be called when the body is open and nothing of it was written. @throws S3Error ServiceUnavailable */
  begin(kind: (ObjectBody | FormBody)['kind']): Bucket {
    this.#begun = true;
    if (kind !== 'held' && this.#current !== this.#bucket) throw changed();
    return this.#current;
  }
}

/** Clients send it again. */
function changed(): S3Error {
  return new S3Error('ServiceUnavailable');
}
