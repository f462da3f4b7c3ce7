import type { StoreErrorKind } from '../../src/store/store-error.ts';
import type { RestRequest } from '../shared/rest-client.ts';
import type { QueryPairs } from './revision.ts';
import type { WriteRequest } from '../../src/store/blob-store.ts';
import type { BlobEncryption, CustomerKey } from '../../src/store/customer-key.ts';

/** One call, before ids and authorisation are put on it. */
export interface GcsRequest extends RestRequest {
  /** Names and raw values. */
  readonly query?: QueryPairs;
  /** Lower-case names and values in turn. */
  readonly headers?: readonly string[];
  /** What the call changes, where the service limits the rate of changes: object or bucket. */
  readonly changes?: string;
  /** What a 404 says is missing, where the answer itself does not. */
  readonly missing: 'object' | 'bucket';
  /** What a 409 says; otherwise that another change was under way. */
  readonly conflict?: StoreErrorKind;
}

/** A body of JSON with its content type. */
export function jsonBody(value: unknown): Pick<GcsRequest, 'headers' | 'body'> {
  return { headers: ['content-type', 'application/json'], body: Buffer.from(JSON.stringify(value)) };
}

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
export function kmsKeyQuery({ encryption }: Pick<WriteRequest, 'encryption'>): QueryPairs {
  return encryption?.kind === 'service' ? [['kmsKeyName', encryption.name]] : [];
}
