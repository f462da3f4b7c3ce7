import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal, invalid } from './refusal.ts';
import type { StoredObject } from './state.ts';

const PREFIX = 'x-goog-encryption-';

/** Digest of the key that a request shows. @throws Refusal 400 */
export function shownDigest(headers: IncomingHttpHeaders): string | undefined {
  const [algorithm, key, digest] = ['algorithm', 'key', 'key-sha256'].map((name) => headers[PREFIX + name]?.toString());
  if (algorithm === undefined && key === undefined && digest === undefined) return undefined;
  if (algorithm !== 'AES256' || key === undefined || digest === undefined) {
    throw invalid('Missing an encryption algorithm, an encryption key, or its SHA256 hash.');
  }
  const bytes = Buffer.from(key, 'base64');
  const counted = createHash('sha256').update(bytes).digest('base64');
  if (bytes.length !== 32 || counted !== digest) {
    const xmlCode = 'CustomerEncryptionKeySha256IsInvalid';
    throw new Refusal(400, 'customerEncryptionKeySha256IsInvalid', 'Provided encryption key SHA256 is invalid.', {
      xmlCode,
    });
  }
  return digest;
}

/**
 * https://cloud.google.com/storage/docs/encryption/customer-supplied-keys: bytes are for whoever shows the key that they were
 * written with.
 * @throws Refusal 400
 */
export function checkKey({ keyDigest }: StoredObject, headers: IncomingHttpHeaders): void {
  const shown = shownDigest(headers);
  if (shown === keyDigest) return;
  if (keyDigest === undefined) {
    throw refused(
      'resourceNotEncryptedWithCustomerEncryptionKey',
      'The target object is not encrypted by a customer-supplied encryption key.',
    );
  }
  if (shown === undefined) {
    throw refused(
      'resourceIsEncryptedWithCustomerEncryptionKey',
      'The target object is encrypted by a customer-supplied encryption key.',
    );
  }
  throw refused('customerEncryptionKeyIsIncorrect', 'The provided encryption key is incorrect.');
}

function refused(reason: string, message: string): Refusal {
  return new Refusal(400, reason, message, { xmlCode: reason.charAt(0).toUpperCase() + reason.slice(1) });
}

/** Sources of copies and of compositions: the double is shown no keys for them. @throws Refusal 400 */
export function refuseKeyed(object: StoredObject): void {
  checkKey(object, {});
}
