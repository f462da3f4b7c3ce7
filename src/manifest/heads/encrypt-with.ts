import { randomBytes } from 'node:crypto';
import type { BlobEncryption } from '../../store/customer-key.ts';
import { type EncryptedBy, checkOfKey } from '../records/encryption.ts';
import type { EncryptWith } from './object-requests.ts';

/** What the service is told. */
export function blobEncryption(encryptWith: EncryptWith): BlobEncryption {
  return encryptWith.kind === 'customer' ? encryptWith : { kind: 'service', name: encryptWith.serviceKey };
}

/** What is remembered. */
export function encryptedBy(encryptWith: EncryptWith): EncryptedBy {
  return encryptWith.kind === 'customer' ? checkOfKey(encryptWith.key) : { kind: 'kms', key: encryptWith.key };
}

/** An ETag of encrypted bytes is no MD5, as S3 has it: the plain bytes could be told by it to who has no key. */
export function opaqueMd5(): string {
  return randomBytes(16).toString('hex');
}
