import { invalidArgument, S3Error } from '../errors/s3-error.ts';
import { CUSTOMER_KEYS, refusedHeaders } from '../protocol/operation-parameters.ts';
import type { OperationName } from '../protocol/operation-table.ts';
import type { HeaderReader } from '../protocol/request.ts';

const CUSTOMER_ALGORITHMS = [
  'x-amz-server-side-encryption-customer-algorithm',
  'x-amz-copy-source-server-side-encryption-customer-algorithm',
];
/** Nothing is encrypted by a key of its own, so S3's answer is the one for an object that is not. */
const READS: ReadonlySet<OperationName> = new Set<OperationName>(['GetObject', 'HeadObject', 'GetObjectAttributes']);

/**
 * Headers that ask for something that is not done; ignoring them would be a false answer. Which:
 * `operation-parameters.ts`.
 * @throws S3Error NotImplemented; InvalidRequest where a key is shown to read what none encrypts
 */
export function refuseParameters(headers: HeaderReader, operation: OperationName): void {
  const name = refusedHeaders(operation).find((one) => headers.get(one) !== undefined);
  if (name === undefined) return;
  if (READS.has(operation) && CUSTOMER_KEYS.some((key) => key === name)) {
    throw new S3Error('InvalidRequest', { message: 'The encryption parameters are not applicable to this object.' });
  }
  throw notImplemented(name);
}

/**
 * What is said about the encryption of something new.
 * @throws S3Error NotImplemented, InvalidArgument, InvalidEncryptionAlgorithmError
 */
export function refuseEncryption(headers: HeaderReader): void {
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
  return new S3Error('NotImplemented', {
    extra: { Header: header, additionalMessage: `${header} is not implemented` },
  });
}
