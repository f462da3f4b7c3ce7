import { S3Error } from '../errors/s3-error.ts';
import { checkBucketName } from './bucket-name.ts';
import { decodePercent } from './percent.ts';
import type { HeaderReader, S3Address } from './request.ts';

/** Longest key, in bytes of UTF-8. */
const MAX_KEY_BYTES = 1024;
/** No character takes more than three bytes per UTF-16 code unit: shorter keys need no counting. */
const SURELY_SHORT = Math.floor(MAX_KEY_BYTES / 3);

/** The request target in two raw halves; both are what the signature is computed over. */
interface RequestTarget {
  /** Starts with `/`. */
  readonly path: string;
  /** Without the `?`. */
  readonly query: string;
}

/**
 * Splits the raw request target at the first `?`. The absolute form that proxies are sent
 * (`GET http://host/path`) loses its authority, which must be the Host header's.
 *
 * @throws S3Error InvalidURI for anything else that does not start with `/`
 */
export function splitTarget(target: string, host: string): RequestTarget {
  const rest = target.startsWith('/') ? target : originForm(target, host);
  const mark = rest.indexOf('?');
  return mark < 0 ? { path: rest, query: '' } : { path: rest.slice(0, mark), query: rest.slice(mark + 1) };
}

function originForm(target: string, host: string): string {
  const match = /^https?:\/\/([^/?#]+)(.*)$/is.exec(target);
  const [, authority, rest = ''] = match ?? [];
  if (authority?.toLowerCase() !== host.toLowerCase()) throw new S3Error('InvalidURI', { extra: { URI: target } });
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Finds the bucket in a Host header. */
export interface HostResolver {
  /** The bucket a virtual-hosted request names; undefined: path style (also for hosts that are not configured). */
  bucketOf(host: string): string | undefined;
  /** Whether the host is a configured one, or a bucket's below it, and made of nothing but a name and a port. */
  isConfigured(host: string): boolean;
}

/**
 * All hosts under which the service answers, for one configured base host: itself, and with the
 * region as AWS writes it (`s3.<region>.<domain>`, legacy `s3-<region>.<domain>`, dual stack, transfer acceleration).
 */
function hostForms(base: string, region: string): string[] {
  const domain = base.startsWith('s3.') ? base.slice('s3.'.length) : base;
  return [
    base,
    `s3.${domain}`,
    `s3.${region}.${domain}`,
    `s3-${region}.${domain}`,
    `s3.dualstack.${region}.${domain}`,
    `s3-accelerate.${domain}`,
    `s3-accelerate.dualstack.${domain}`,
  ];
}

/**
 * @param baseHosts names under which clients reach the service, without port
 * @param region signing region, which may stand in the host
 */
export function hostResolver(baseHosts: readonly string[], region: string): HostResolver {
  const forms = new Set(baseHosts.flatMap((base) => hostForms(base.toLowerCase(), region)));
  const suffixes = [...forms].map((form) => `.${form}`).sort((a, b) => b.length - a.length);
  const suffixOf = (name: string): string | undefined =>
    suffixes.find((end) => name.endsWith(end) && name.length > end.length);

  return {
    bucketOf(host) {
      const name = hostName(host);
      const suffix = forms.has(name) ? undefined : suffixOf(name);
      return suffix === undefined ? undefined : name.slice(0, -suffix.length);
    },
    isConfigured(host) {
      const name = hostName(host);
      return forms.has(name) || (/^[a-z0-9.-]+$/.test(name) && suffixOf(name) !== undefined);
    },
  };
}

/** Without port and the dot at the end, in lower case. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

/**
 * Bucket and key of a request, from the raw path. Bucket and key are split before they are decoded,
 * each is decoded once, and nothing is ever normalised: `//`, `/../` and `%2F` are part of the key.
 *
 * @param bucketFromHost result of `HostResolver.bucketOf`
 * @throws S3Error InvalidURI, InvalidBucketName, KeyTooLongError
 */
export function parseAddress(path: string, bucketFromHost: string | undefined): S3Address {
  if (bucketFromHost !== undefined) {
    checkBucketName(bucketFromHost);
    return address(bucketFromHost, path.slice(1), true);
  }
  if (path === '/') return { virtualHost: false };
  const slash = path.indexOf('/', 1);
  const bucket = decodePercent(slash < 0 ? path.slice(1) : path.slice(1, slash));
  checkBucketName(bucket);
  return address(bucket, slash < 0 ? '' : path.slice(slash + 1), false);
}

function address(bucket: string, rawKey: string, virtualHost: boolean): S3Address {
  if (rawKey === '') return { bucket, virtualHost };
  const key = decodePercent(rawKey);
  checkKeyLength(key);
  return { bucket, key, virtualHost };
}

/** @throws S3Error KeyTooLongError */
export function checkKeyLength(key: string): void {
  if (key.length <= SURELY_SHORT) return;
  const size = Buffer.byteLength(key);
  if (size > MAX_KEY_BYTES) {
    throw new S3Error('KeyTooLongError', { extra: { Size: size, MaxSizeAllowed: MAX_KEY_BYTES } });
  }
}

/** Every call of S3 Control carries it, none of S3 does. */
export const ACCOUNT_HEADER = 'x-amz-account-id';
/** With the version of that API the paths of its calls begin. */
export const CONTROL_PATH = '/v20180820/';
const TAGS = `${CONTROL_PATH}tags/`;
/** Partitions are `aws`, and others such as `aws-us-gov`. */
const BUCKET_ARN = /^arn:aws(?:-[a-z]{1,16}){0,3}:s3:::([^/:]+)$/;

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
