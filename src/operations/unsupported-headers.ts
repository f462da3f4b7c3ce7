import { invalidArgument, S3Error } from '../errors/s3-error.ts';
import type { HeaderReader } from '../protocol/request.ts';

/** Headers that ask for something this release does not do; ignoring them would be a false answer. */
const NOT_IMPLEMENTED = [
  'x-amz-server-side-encryption-customer-key',
  'x-amz-server-side-encryption-customer-key-md5',
  'x-amz-copy-source-server-side-encryption-customer-key',
  'x-amz-copy-source-server-side-encryption-customer-key-md5',
  'x-amz-server-side-encryption-aws-kms-key-id',
  'x-amz-server-side-encryption-context',
  'x-amz-grant-read',
  'x-amz-grant-write',
  'x-amz-grant-read-acp',
  'x-amz-grant-write-acp',
  'x-amz-grant-full-control',
  'x-amz-object-lock-mode',
  'x-amz-object-lock-retain-until-date',
  'x-amz-object-lock-legal-hold',
  'x-amz-write-offset-bytes',
] as const;

/** Canned ACLs that say what holds anyway as long as only the owner has access. */
const HARMLESS_ACLS = new Set(['private', 'bucket-owner-full-control', 'bucket-owner-read', 'aws-exec-read']);
const CANNED_ACLS = new Set([...HARMLESS_ACLS, 'public-read', 'public-read-write', 'authenticated-read', 'log-delivery-write']);
const CUSTOMER_ALGORITHMS = ['x-amz-server-side-encryption-customer-algorithm', 'x-amz-copy-source-server-side-encryption-customer-algorithm'];

/** @throws S3Error NotImplemented, InvalidArgument, InvalidEncryptionAlgorithmError */
export function refuseUnsupported(headers: HeaderReader): void {
  for (const name of NOT_IMPLEMENTED) {
    if (headers.get(name) !== undefined) throw notImplemented(name);
  }
  const acl = headers.get('x-amz-acl');
  if (acl !== undefined && !CANNED_ACLS.has(acl)) throw invalidArgument('x-amz-acl', acl, '');
  if (acl !== undefined && !HARMLESS_ACLS.has(acl)) throw notImplemented('x-amz-acl');
  refuseEncryption(headers);
}

function refuseEncryption(headers: HeaderReader): void {
  const name = 'x-amz-server-side-encryption';
  const encryption = headers.get(name);
  if (encryption?.startsWith('aws:kms') === true) throw notImplemented(name);
  if (encryption !== undefined && encryption !== 'AES256') {
    throw invalidArgument(name, encryption, 'The encryption method specified is not supported');
  }
  if (headers.get('x-amz-server-side-encryption-bucket-key-enabled') === 'true') throw notImplemented(`${name}-bucket-key-enabled`);
  for (const algorithm of CUSTOMER_ALGORITHMS) {
    const value = headers.get(algorithm);
    if (value !== undefined && value !== 'AES256') throw new S3Error('InvalidEncryptionAlgorithmError');
  }
}

function notImplemented(header: string): S3Error {
  return new S3Error('NotImplemented', { extra: { Header: header, additionalMessage: `${header} is not implemented` } });
}
