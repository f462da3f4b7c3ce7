import { S3Error } from '../errors/s3-error.ts';

// Source: "Bucket naming rules" of the S3 user guide.
const SHAPE = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Every dot stands between letters or digits, as in a host name. */
const EMPTY_LABEL_OR_EDGE_DASH = /\.[.-]|-\./;
const DOTTED_QUAD = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const RESERVED_PREFIX = /^(?:xn--|sthree-|amzn-s3-demo-)/;
const RESERVED_SUFFIX = /(?:-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$/;

/** Whether S3 could have a bucket of this name. */
export function isBucketName(name: string): boolean {
  return (
    SHAPE.test(name) &&
    !EMPTY_LABEL_OR_EDGE_DASH.test(name) &&
    !DOTTED_QUAD.test(name) &&
    !RESERVED_PREFIX.test(name) &&
    !RESERVED_SUFFIX.test(name)
  );
}

/** @throws S3Error InvalidBucketName: for every operation, not only for CreateBucket */
export function checkBucketName(name: string): void {
  if (!isBucketName(name)) throw new S3Error('InvalidBucketName', { extra: { BucketName: name } });
}
