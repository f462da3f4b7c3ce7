import { S3Error } from '../../errors/s3-error.ts';
import type { CustomerKey } from '../../store/customer-key.ts';
import { type EncryptedBy, isSameKey } from '../records/encryption.ts';

/** S3's words for a key that opens nothing here, or the wrong thing. */
const NOT_APPLICABLE = 'The encryption parameters are not applicable to this object.';
const MISSING =
  'The object was stored using a form of Server Side Encryption. The correct parameters must be provided to retrieve the object.';
const OTHER = 'The provided encryption parameters did not match the ones used originally.';

/**
 * Whether a client may have bytes that are encrypted so, as far as keys decide it.
 * @throws S3Error InvalidRequest: a key is missing, is another one (403 on AWS: docs/deviations.md), or opens nothing
 */
export function requireKey(by: EncryptedBy | undefined, key: CustomerKey | undefined): void {
  if (by?.kind !== 'customer') {
    if (key !== undefined) throw invalidRequest(NOT_APPLICABLE);
    return;
  }
  if (key === undefined) throw invalidRequest(MISSING);
  if (!isSameKey(by, key)) throw invalidRequest(OTHER);
}

const PART_MISSING =
  'The multipart upload initiate requested encryption. Subsequent part requests must include the appropriate encryption parameters.';
const PART_UNASKED =
  'The multipart upload initiate did not request encryption. Please resend the request without sending encryption parameters.';

/** The same for a part of an upload. @throws S3Error InvalidRequest */
export function requirePartKey(by: EncryptedBy | undefined, key: CustomerKey | undefined): void {
  if (by?.kind !== 'customer') {
    if (key !== undefined) throw invalidRequest(PART_UNASKED);
    return;
  }
  if (key === undefined) throw invalidRequest(PART_MISSING);
  if (!isSameKey(by, key)) throw invalidRequest(OTHER);
}

function invalidRequest(message: string): S3Error {
  return new S3Error('InvalidRequest', { message });
}
