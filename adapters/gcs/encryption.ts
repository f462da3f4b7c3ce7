import type { WriteRequest } from '../../src/store/blob-store.ts';
import type { BlobEncryption, CustomerKey } from '../../src/store/customer-key.ts';
import type { Query } from './revision.ts';

/**
 * Headers of customer-supplied encryption keys, the same in both APIs; names and values in turn
 * (https://cloud.google.com/storage/docs/encryption/customer-supplied-keys).
 */
export function keyHeaders(key: CustomerKey): string[] {
  return [
    ...['x-goog-encryption-algorithm', 'AES256', 'x-goog-encryption-key', key.base64()],
    ...['x-goog-encryption-key-sha256', key.digestBase64('sha256')],
  ];
}

export function encryptionHeaders(encryption: BlobEncryption | undefined): string[] {
  return encryption?.kind === 'customer' ? keyHeaders(encryption.key) : [];
}

/** A key of Cloud KMS is named in the query (https://cloud.google.com/storage/docs/json_api/v1/objects/insert). */
export function kmsKeyQuery({ encryption }: Pick<WriteRequest, 'encryption'>): Query {
  return encryption?.kind === 'service' ? [['kmsKeyName', encryption.name]] : [];
}
