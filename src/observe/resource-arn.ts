/** What the ARNs of S3's resources begin with. */
const RESOURCE = 'arn:aws:s3:::';

/**
 * The ARN of a resource, in two parts: most decisions are made, and kept, by comparing these, and the whole is put
 * together only for who needs it.
 */
export class ResourceArn {
  /** Of an object `arn:aws:s3:::bucket/`, as of all objects beside it; of anything else the whole ARN. */
  readonly within: string;
  /** Of an object its key; of anything else empty. */
  readonly name: string;
  #text: string | undefined = undefined;

  constructor(within: string, name = '') {
    this.within = within;
    this.name = name;
  }

  /** The whole, e.g. `arn:aws:s3:::bucket/key`. */
  get text(): string {
    return (this.#text ??= this.within + this.name);
  }
}

/** No resource in particular, or any. */
export const ANY_RESOURCE = new ResourceArn(`${RESOURCE}*`);

export function arnOfBucket(bucket: string): ResourceArn {
  return new ResourceArn(RESOURCE + bucket);
}

/** Of the last call: most requests are for one bucket, and a text that is the same object is compared at once. */
let last = { bucket: '', within: `${RESOURCE}/` };

export function arnOfObject(bucket: string, key: string): ResourceArn {
  if (bucket !== last.bucket) last = { bucket, within: `${RESOURCE}${bucket}/` };
  return new ResourceArn(last.within, key);
}
