import { invalidArgument, S3Error } from '../errors/s3-error.ts';
import type { HeaderReader } from '../protocol/request.ts';

const CUSTOMER_KEYS = [
  'x-amz-server-side-encryption-customer-key',
  'x-amz-server-side-encryption-customer-key-md5',
  'x-amz-copy-source-server-side-encryption-customer-key',
  'x-amz-copy-source-server-side-encryption-customer-key-md5',
] as const;

/** Headers that ask for something this release does not do; ignoring them would be a false answer. */
const NOT_IMPLEMENTED = [
  ...CUSTOMER_KEYS,
  'x-amz-server-side-encryption-aws-kms-key-id',
  'x-amz-server-side-encryption-context',
  'x-amz-write-offset-bytes',
] as const;

const CUSTOMER_ALGORITHMS = ['x-amz-server-side-encryption-customer-algorithm', 'x-amz-copy-source-server-side-encryption-customer-algorithm'];

/** @throws S3Error NotImplemented, InvalidArgument, InvalidEncryptionAlgorithmError */
export function refuseUnsupported(headers: HeaderReader): void {
  refuseAny(headers, NOT_IMPLEMENTED);
  refuseEncryption(headers);
}

/** Keys alone, for operations that touch no data: whatever else is said about encryption does not matter to them. @throws S3Error NotImplemented */
export function refuseCustomerKeys(headers: HeaderReader): void {
  refuseAny(headers, CUSTOMER_KEYS);
}

function refuseAny(headers: HeaderReader, names: readonly string[]): void {
  const name = names.find((one) => headers.get(one) !== undefined);
  if (name !== undefined) throw notImplemented(name);
}

function refuseEncryption(headers: HeaderReader): void {
  const name = 'x-amz-server-side-encryption';
  const encryption = headers.get(name);
  if (encryption?.startsWith('aws:kms') === true) throw notImplemented(name);
  if (encryption !== undefined && encryption !== 'AES256') {
    throw invalidArgument(name, encryption, 'The encryption method specified is not supported');
  }
  const bucketKey = headers.get(`${name}-bucket-key-enabled`);
  if (bucketKey !== undefined && bucketKey !== 'false') throw notImplemented(`${name}-bucket-key-enabled`);
  for (const algorithm of CUSTOMER_ALGORITHMS) {
    const value = headers.get(algorithm);
    if (value !== undefined && value !== 'AES256') throw new S3Error('InvalidEncryptionAlgorithmError');
  }
}

function notImplemented(header: string): S3Error {
  return new S3Error('NotImplemented', { extra: { Header: header, additionalMessage: `${header} is not implemented` } });
}
