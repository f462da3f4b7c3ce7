import { S3Error } from '../errors/s3-error.ts';
import { checkBucketName } from './bucket-name.ts';
import { decodePercent } from './percent.ts';
import type { HeaderReader, S3Address } from './request.ts';

/** Every call of S3 Control carries it, none of S3 does. */
export const ACCOUNT_HEADER = 'x-amz-account-id';
/** With the version of that API the paths of its calls begin. */
export const CONTROL_PATH = '/v20180820/';
const TAGS = `${CONTROL_PATH}tags/`;
const BUCKET_ARN = /^arn:aws[a-z-]*:s3:::([^/:]+)$/;

/**
 * Whether a request to such a path is one of S3 Control, the API beside S3: it names an account. A bucket could have
 * that name, but no request to one names an account: the header counts for the signature, so it cannot be added to
 * another client's request.
 */
export function isControl(headers: HeaderReader): boolean {
  return headers.get(ACCOUNT_HEADER) !== undefined;
}

/**
 * The bucket whose ARN stands in the path of a tag call, `/v20180820/tags/arn%3Aaws%3As3%3A%3A%3Abucket`.
 * The account may stand before the host as well; it is the header that counts.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_control_ListTagsForResource.html
 * @throws S3Error NotImplemented (other calls of that API, other resources than buckets), InvalidRequest (no ARN),
 * InvalidURI, InvalidBucketName
 */
export function controlAddress(path: string): S3Address {
  if (!path.startsWith(TAGS)) {
    throw new S3Error('NotImplemented', { message: 'Of S3 Control this service offers the tags of buckets only.' });
  }
  const arn = decodePercent(path.slice(TAGS.length));
  if (!arn.startsWith('arn:')) {
    throw new S3Error('InvalidRequest', { message: 'The request contained an invalid Amazon Resource Name (ARN).' });
  }
  const bucket = BUCKET_ARN.exec(arn)?.[1];
  if (bucket === undefined) {
    throw new S3Error('NotImplemented', { message: 'Only buckets have tags here that are set by their ARN.' });
  }
  checkBucketName(bucket);
  return { bucket, virtualHost: false, control: true };
}
